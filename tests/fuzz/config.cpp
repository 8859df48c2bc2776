// Configuration: all or nothing, key by key as all at once, and written as it is read.
#include "sched/config.hpp"

#include "fuzz/target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tenure;        // NOLINT: the entry point alone stands outside
  using namespace tenure::fuzz;  // NOLINT
  const auto json = as_json(as_text(bytes, size));
  if (!json || !json->is_object()) return 0;
  const auto& changes = json->get_object();

  const sched::Config before;
  const auto applied = sched::apply(before, changes);
  require(before == sched::Config{}, "apply changed what it was given");
  sched::Config step;
  bool all = true;
  for (const auto& change : changes) {
    const auto next = sched::apply(step, boost::json::object{{change.key(), change.value()}});
    if (next) step = *next;
    all = all && next.has_value();
  }
  require(applied.has_value() == all, "applied at once: {}, key by key: {}", applied.has_value(),
          all);
  if (const auto queue = sched::read_queue("q", changes)) {
    require(all, "good for a queue, and not for all of them");
    require(changes.size() <= 3, "a queue with {} keys", changes.size());
  } else {
    check_error(queue.error());
  }
  if (!applied) {
    check_error(applied.error());
    return 0;
  }
  require(*applied == step, "another configuration key by key");
  const auto written = sched::to_json(*applied);
  const auto again = sched::apply(sched::Config{}, written);
  require(again.has_value(), "what was written is refused: {}",
          again ? std::string() : again.error().message);
  require(*again == *applied, "another configuration is read from {}",
          boost::json::serialize(written));
  return 0;
}
