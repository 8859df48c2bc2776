// IdleWindow: a window of fixed length slid over the profile.
//
// It keeps the AND of the idle sets of all segments that the window meets, in a queue made
// of two stacks: the front stack holds suffix ANDs, the back one running AND. Each segment
// is pushed once and popped once, so that a whole sweep costs O(segments x W) with
// W = node_count / 64 words. Segments with too few idle nodes are rejected by their count
// alone, without looking at a word.
//
//   IdleWindow window(profile, eligible, Span{now, now + walltime});
//   if (window.seek(nodes, limit)) use(window.span(), window.idle());
//
// Source: sliding-window aggregation with two stacks (Tangwongsan, Hirzel, Schneider,
// "Low-latency sliding-window aggregation in worst-case constant time", DEBS 2017).
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.hpp"

namespace tenure::profile {

class IdleWindow {
 public:
  /// The window `span`, restricted to `eligible`; both must outlive it.
  IdleWindow(const Profile& profile, const graph::NodeSet& eligible, Span span);

  Span span() const { return Span{start_, start_ + length_}; }
  /// Nodes idle throughout the window and eligible.
  const graph::NodeSet& idle();
  std::uint32_t count();
  /// Moves the start forward to `start`. Requires start >= span().start.
  void move_to(Time start);
  /// Moves the start to the profile's next change point; false when there is none.
  bool advance();
  /// Moves on to the first start, the present one included, at which at least `wanted`
  /// nodes are idle throughout; false when there is none with span().end <= limit. After
  /// false the window stands anywhere.
  bool seek(std::uint32_t wanted, Time limit);

 private:
  void fill();
  void push();
  void pop();
  void turn_over();
  void restart(std::size_t segment);
  void recount();
  /// The AND of the front stack.
  const graph::NodeSet& front() const {
    return front_size_ > 0 ? front_[front_size_ - 1] : *eligible_;
  }

  const Profile* profile_;
  const graph::NodeSet* eligible_;
  Time start_;
  Duration length_;
  std::size_t first_ = 0;       ///< first segment in the window
  std::size_t past_ = 0;        ///< one past the last segment pushed
  std::size_t back_first_ = 0;  ///< segments from here on are in back_
  std::vector<graph::NodeSet>
      front_;  ///< front_[i]: AND of segments back_first_-1-i … back_first_-1
  std::size_t front_size_ = 0;
  graph::NodeSet back_;
  graph::NodeSet idle_;      ///< made by idle() when asked for
  std::uint32_t count_ = 0;  ///< of back_ and front() together, unless stale
  bool stale_ = true;
};

}  // namespace tenure::profile
