// DownLog: which nodes were down, and from when to when.
//
// Invariant: the spans of a rank do not overlap, and neighbours do not touch.
//
// A change is O(open spans + ranges).
#pragma once

#include <optional>
#include <vector>

#include "base/idset.hpp"
#include "base/time.hpp"

namespace tenure::emul {

struct DownSpan {
  Idset ranks;
  Time from;
  std::optional<Time> to;  ///< absent: still down

  friend bool operator==(const DownSpan&, const DownSpan&) = default;
};

class DownLog {
 public:
  /// Ranks that are down already stay so.
  void down(const Idset& ranks, Time now) {
    Idset fresh = ranks;
    for (const DownSpan& span : open_) fresh = fresh - span.ranks;
    if (!fresh.empty()) open_.push_back({fresh, now, std::nullopt});
  }
  /// Likewise; what was down and is up at the same time was not down.
  void up(const Idset& ranks, Time now) {
    for (DownSpan& span : open_) {
      const Idset back = span.ranks & ranks;
      if (back.empty()) continue;
      if (span.from < now) closed_.push_back({back, span.from, now});
      span.ranks = span.ranks - back;
    }
    std::erase_if(open_, [](const DownSpan& span) { return span.ranks.empty(); });
  }
  /// By the end, those that are still open last.
  std::vector<DownSpan> spans() const {
    std::vector<DownSpan> all = closed_;
    all.insert(all.end(), open_.begin(), open_.end());
    return all;
  }

 private:
  std::vector<DownSpan> open_;
  std::vector<DownSpan> closed_;
};

}  // namespace tenure::emul
