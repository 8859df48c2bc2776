#include "emul/oddities.hpp"

namespace tenure::emul {
namespace {

struct Text {
  std::string_view key;
  std::string_view description;
};

/// By the value of Oddity.
constexpr std::array<Text, kOddities> kTexts{
    Text{"extra-fields", "more than 18 fields: the further ones are not used"},
    Text{"fraction", "a fraction where whole numbers belong: rounded to the nearest"},
    Text{"duplicate-number", "a job number that came before: replayed as a job of its own"},
    Text{"unsorted", "submitted before the job of the line above: put in time order"},
    Text{"no-submit-time", "no submit time: that of the line above"},
    Text{"no-requested-processors", "no number of processors asked for: the allocated ones"},
    Text{"no-processors", "neither asked for nor allocated processors: one processor"},
    Text{"no-requested-time", "no requested time: the run time is the limit, 1 s at least"},
    Text{"no-run-time", "no run time: until the limit, or 0 s without one"},
    Text{"zero-run-time", "a run time of 0: ends as it starts"},
    Text{"over-limit", "longer than the time asked for: killed at the limit, unless extended"},
    Text{"bad-start-time", "UnixStartTime that is no time: 2001-09-09 01:46:40 UTC instead"},
    Text{"larger-than-machine", "larger than the machine: refused at submission"}};

}  // namespace

std::string_view key_of(Oddity oddity) { return kTexts[static_cast<std::size_t>(oddity)].key; }

std::string_view describe(Oddity oddity) {
  return kTexts[static_cast<std::size_t>(oddity)].description;
}

}  // namespace tenure::emul
