// Announcements: which start was planned for a waiting job, and when that was said.
//
// Invariants
//  1. The history of a job is ascending in time, and neighbours differ in the start.
//  2. It has at most kMaxAnnouncements entries. When it is full, every second one is left out,
//     but never the first; `thinned` counts what was left out.
//
// Noting a start is O(1) amortised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time.hpp"

namespace tenure::plan {
class Engine;
}

namespace tenure::emul {

inline constexpr std::size_t kMaxAnnouncements = 64;

struct Announcement {
  Time at;     ///< when it was planned so
  Time start;  ///< the planned start

  friend bool operator==(const Announcement&, const Announcement&) = default;
};

class Announcements {
 public:
  /// Makes room for so many jobs.
  void resize(std::size_t jobs) { histories_.resize(jobs); }
  void note(std::size_t job, Announcement announcement) {
    std::vector<Announcement>& history = histories_[job];
    if (!history.empty() && history.back().start == announcement.start) return;
    if (history.size() == kMaxAnnouncements) thin(history);
    history.push_back(announcement);
  }

  std::span<const Announcement> of(std::size_t job) const {
    if (job >= histories_.size()) return {};
    return histories_[job];
  }
  std::uint64_t thinned() const { return thinned_; }
  bool empty() const { return histories_.empty(); }

 private:
  void thin(std::vector<Announcement>& history) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < history.size(); i += 2) history[kept++] = history[i];
    thinned_ += history.size() - kept;
    history.resize(kept);
  }

  std::vector<std::vector<Announcement>> histories_;
  std::uint64_t thinned_ = 0;
};

/// Notes the planned starts of an engine whose job ids are 1, 2, 3 …: job i is at i - 1.
/// O(planned jobs).
void note_planned_starts(const plan::Engine& engine, Time now, Announcements& announcements);

}  // namespace tenure::emul
