// Jobspecs (RFC 25): reading is a function of the value; a request is feasible exactly when
// it is placed on the idle machine, and then the placement holds what the tree demands.
#include "jobspec/jobspec.hpp"

#include "emul/checker.hpp"
#include "fuzz/target.hpp"
#include "match/request.hpp"
#include "plan/machine.hpp"

namespace tenure::fuzz {
namespace {

namespace json = boost::json;

/// Fair sizes, so that every request either fits or does not for a reason of its own.
const plan::Engine& idle_engine() {
  static const plan::Engine engine = [] {
    graph::ResourceGraph graph = testing::machine(6, 4, 2);
    graph.add_property("fast", Idset::range(0, 2));
    return plan::Engine(std::move(graph), Time::never(), plan::Options{});
  }();
  return engine;
}

std::uint64_t units_in(const graph::ResourceSet& set, std::string_view type) {
  const graph::ResourceGraph& graph = idle_engine().graph();
  std::uint64_t count = 0;
  set.for_each(
      [&](graph::NodeRange range) {
        const auto nodes = range.last.value() - range.first.value() + 1;
        const graph::Pool* pool = graph.shape_of(range.first).pool(type);
        if (pool != nullptr) count += nodes * pool->count();
      },
      [&](const graph::NodePart& part) {
        const graph::Shape& shape = graph.shape_of(part.node);
        if (const auto* pool = shape.pool(type))
          count += graph::Shape::ids(*pool, part.units).size();
      });
  return count;
}

void check_placement(const jobspec::Jobspec& spec, const graph::ResourceSet& set) {
  const emul::Demand demand = emul::demand_of(spec);
  if (demand.nodes > 0) {
    require(set.node_count() == demand.nodes, "{} nodes for a request for {}", set.node_count(),
            demand.nodes);
  }
  for (const auto& [type, wanted] : demand.units) {
    const auto got = units_in(set, type);
    require(demand.exclusive ? got >= wanted : got == wanted, "{} of {} for a request for {}", got,
            type, wanted);
  }
  const auto allowed = spec.constraint.evaluate(idle_engine().graph());
  for (const graph::NodeRange range : set.nodes()) {
    for (auto i = range.first.value(); i <= range.last.value(); ++i) {
      require(allowed.test(NodeIndex(i)), "node {} against the constraint", i);
    }
  }
}

}  // namespace
}  // namespace tenure::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tenure;        // NOLINT: the entry point alone stands outside
  using namespace tenure::fuzz;  // NOLINT
  const auto value = as_json(as_text(bytes, size));
  if (!value) return 0;
  const auto spec = jobspec::parse(*value);
  if (!spec) {
    check_error(spec.error());
    return 0;
  }
  const auto again = jobspec::parse(boost::json::parse(boost::json::serialize(*value)));
  require(again.has_value() && again->resources == spec->resources &&
              again->duration == spec->duration && again->constraint == spec->constraint &&
              again->queue == spec->queue && again->reservation == spec->reservation,
          "the same value is read as something else");
  require(spec->duration > Duration::zero(), "a walltime of nothing");
  const auto request = match::compile(*spec);
  if (!request) {
    check_error(request.error());
    return 0;
  }
  const plan::Engine& engine = idle_engine();
  const auto never = engine.matcher().infeasible(*request);
  const Time start = Time::seconds(1000);
  const auto chosen =
      engine.matcher().choose(engine.profile(), *request, Span{start, start + spec->duration});
  require(never.has_value() != chosen.has_value(), "feasible: {}, placed: {}", !never.has_value(),
          chosen.has_value());
  if (never) require(!never->missing.empty(), "infeasible for no reason");
  if (chosen) check_placement(*spec, *chosen);
  return 0;
}
