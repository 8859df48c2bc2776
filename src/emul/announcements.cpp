#include "emul/announcements.hpp"

#include "plan/engine.hpp"

namespace tenure::emul {

void note_planned_starts(const plan::Engine& engine, Time now, Announcements& announcements) {
  for (const plan::PlannedJob& planned : engine.planned()) {
    if (planned.outcome != plan::PlannedJob::Outcome::reserved) continue;
    announcements.note(planned.key.id.value() - 1, {now, planned.placement.span.start});
  }
}

}  // namespace tenure::emul
