#include "plan/job.hpp"

#include "base/text.hpp"

namespace tenure::plan {

std::string_view to_string(Selection selection) {
  switch (selection) {
    case Selection::immediate:
      return "immediate";
    case Selection::reserved:
      return "reserved";
    case Selection::backfilled:
      return "backfilled";
  }
  return "unknown";
}

std::string describe(const Reason& reason, const TimeText& time_text) {
  using Code = Reason::Code;
  const std::string wish = plural(reason.wanted, reason.in_slots ? "slot" : "node");
  const std::string blocker =
      reason.blocker == JobId() ? "" : fmt::format(" ({})", format_f58(reason.blocker));
  const std::string until = reason.until.is_never() ? "" : time_text(reason.until);
  const std::string only =
      reason.free_until ? fmt::format(" but only until {}, {} would start",
                                      time_text(*reason.free_until), format_fsd(reason.would_start))
                        : "";
  switch (reason.code) {
    case Code::busy:
    case Code::promised:
      return fmt::format("needs {}, {} free now{}; enough at {}{}", wish, reason.free, only, until,
                         blocker);
    case Code::beyond_depth:
      return fmt::format("needs {}, {} free now{}; waits behind jobs with a planned start", wish,
                         reason.free, only);
    case Code::not_reached:
      return fmt::format("waits behind earlier jobs{}", blocker);
    case Code::not_up:
      return reason.missing;
    case Code::behind_unlimited:
      return fmt::format("needs {}; what is missing is held by jobs without an end{}", wish,
                         blocker);
    case Code::instance_ends:
      return fmt::format("would not end before the instance does at {}", until);
    case Code::not_planned_yet:
      return "not planned yet";
  }
  return "unknown";
}

}  // namespace tenure::plan
