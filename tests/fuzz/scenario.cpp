// Scenario files: errors name file and line; what is accepted plays the same over the wire
// and without, and the invariant checker finds nothing.
#include "emul/scenario.hpp"

#include <sstream>

#include "emul/scenario_runner.hpp"
#include "fuzz/target.hpp"
#include "graph/formats/r.hpp"

namespace tenure::fuzz {
namespace {

constexpr std::uint32_t kMaxNodes = 64;    ///< larger scenarios are only read
constexpr std::size_t kMaxJobs = 32;       ///< likewise
constexpr std::size_t kMaxEvents = 64;     ///< likewise
constexpr std::int64_t kSoon = 1'000'000;  ///< seconds; nothing is played beyond

bool is_small(const emul::Scenario& scenario) {
  const auto machine = graph::read_inventory(scenario.r);
  require(machine.has_value(), "the inventory of an accepted scenario is refused");
  std::size_t jobs = 0;
  for (const auto& event : scenario.events) {
    if (const auto* submit = std::get_if<emul::action::Submit>(&event.action)) {
      jobs += submit->jobs.size();
    }
  }
  return machine->graph.node_count() <= kMaxNodes && jobs <= kMaxJobs &&
         scenario.events.size() <= kMaxEvents;
}

/// Beyond the year 2255 microseconds are no longer exact in JSON's reals.
bool has_far_times(std::string_view output) {
  int digits = 0;
  for (const char c : output) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 9) return true;
  }
  return false;
}

std::string play(const emul::Scenario& scenario, emul::Link link) {
  std::ostringstream text;
  const auto output = emul::jsonl_output(text);
  const auto outcome =
      emul::run_scenario(scenario, {.until = Duration::seconds(kSoon), .link = link}, *output);
  require(outcome.has_value(), "an accepted scenario cannot be played: {}",
          outcome ? std::string() : outcome.error().message);
  require(outcome->faults.empty(), "fault: {}",
          outcome->faults.empty() ? std::string() : outcome->faults.front());
  return std::move(text).str();
}

}  // namespace
}  // namespace tenure::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tenure;        // NOLINT: the entry point alone stands outside
  using namespace tenure::fuzz;  // NOLINT
  const std::string text(as_text(bytes, size));
  if (text.find("/dev") != std::string::npos) return 0;  // files are named by the user himself
  const auto scenario = emul::read_scenario_text(text, "nowhere/scenario.yaml");
  if (!scenario) {
    check_error(scenario.error());
    require(scenario.error().message.starts_with("nowhere/scenario.yaml:"),
            "an error without a place: {}", scenario.error().message);
    return 0;
  }
  if (!is_small(*scenario)) return 0;
  const std::string wire = play(*scenario, emul::Link::wire);
  const std::string direct = play(*scenario, emul::Link::direct);
  require(wire == direct || has_far_times(direct), "wire and direct differ");
  return 0;
}
