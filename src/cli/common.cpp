#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "cli/commands.hpp"

namespace tenure::cli {

namespace json = boost::json;

void fail(const Error& error) {
  std::fflush(stdout);
  fmt::print(stderr, "tenure: {}\n", error.message);
  throw CliExit{ExitStatus::bad_input};
}

void add_config_options(CLI::App& command, json::object& values) {
  for (const auto& key : sched::to_json(sched::Config{})) {
    const std::string name(key.key());
    if (!key.value().is_string() && !key.value().is_number()) continue;  // tables have no option
    const std::string value = key.value().is_string() ? std::string(key.value().get_string())
                                                      : json::serialize(key.value());
    command
        .add_option_function<std::string>(
            "--" + name, [&values, name](const std::string& text) { values[name] = text; },
            value.empty() ? "" : "default " + value)
        ->type_name("VALUE")
        ->group("Scheduler configuration (docs/configuration.md)");
  }
}

sched::Config or_fail_with_options(const sched::Config& config, const json::object& values) {
  auto applied = sched::apply(config, values);
  if (!applied) fail(Error{applied.error().code, "--" + applied.error().message});
  return std::move(*applied);
}

}  // namespace tenure::cli
