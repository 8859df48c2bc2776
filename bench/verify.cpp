#include "verify.hpp"

#include <fmt/format.h>

namespace tenure::bench {

namespace {
bool agreed = true;
}  // namespace

void Digest::add(const graph::ResourceSet& set) {
  set.for_each(
      [&](graph::NodeRange range) {
        add(range.first.value());
        add(range.last.value());
      },
      [&](const graph::NodePart& part) {
        add(part.node.value());
        std::uint32_t left = part.units.count();
        for (std::uint32_t unit = 0; left > 0; ++unit) {
          if (!part.units.test(unit)) continue;
          add(unit);
          --left;
        }
      });
}

void Digest::add(const match::Placement& placement) {
  add(placement.span.start);
  add(placement.span.end);
  add(placement.resources);
}

void Digest::add(std::span<const plan::Start> starts, const plan::Engine& engine) {
  for (const plan::Start& start : starts) {
    add(start.id.value());
    add(start.placement);
  }
  for (const plan::PlannedJob& entry : engine.planned()) {
    add(entry.key.id.value());
    add(static_cast<std::uint64_t>(entry.outcome));
    if (entry.outcome == plan::PlannedJob::Outcome::reserved) add(entry.placement);
  }
}

bool verify(benchmark::State& state, const Digest& digest, std::uint64_t expected) {
  if (digest.value() == expected) return true;
  agreed = false;
  const std::string text =
      fmt::format("wrong result: digest {:#018x}, not {:#018x}", digest.value(), expected);
  state.SkipWithError(text.c_str());
  return false;
}

bool all_verified() { return agreed; }

}  // namespace tenure::bench
