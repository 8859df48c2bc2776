// The profile against an array over time: machines of several words of nodes and of units,
// mixed shapes, spans without end; every answer, and the segments themselves.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "oracle/time_array.hpp"
#include "plan/machine.hpp"
#include "profile/idle_window.hpp"
#include "profile/profile.hpp"

namespace tenure::profile {
namespace {

using graph::NodeSet;
using graph::ResourceSet;
using graph::UnitMask;
using oracle::TimeArray;
using oracle::Units;

int pick(int low, int high) { return *rc::gen::inRange(low, high + 1); }
NodeIndex node_index(int node) { return NodeIndex(static_cast<std::uint32_t>(node)); }

/// A tick is three microseconds, so that nothing falls on whole seconds.
constexpr std::int64_t kTick = 3;
Time tick(int number) {
  if (number >= TimeArray::kForever) return Time::never();
  return Time::microseconds(1'000'000'001 + kTick * number);
}
Time later_tick(int number) { return Time::microseconds(1'000'000'001 + kTick * number); }
Span ticks(int start, int end) { return {tick(start), tick(end)}; }

graph::ResourceGraph machine_of(const std::vector<int>& units) {
  graph::ResourceGraph::Builder builder;
  std::uint32_t rank = 0;
  for (const int count : units) {
    std::vector<std::uint32_t> ids(static_cast<std::size_t>(count));
    std::iota(ids.begin(), ids.end(), 0U);
    const ShapeId shape = builder.add_shape({{.type = "core", .ids = std::move(ids)}});
    builder.add_node(Rank(rank), fmt::format("node{}", rank), shape);
    ++rank;
  }
  auto graph = std::move(builder).build();
  CHECK(graph.has_value());
  return std::move(*graph);
}

/// A profile and the array beside it, with the spans that were added.
class Both {
 public:
  /// `spread`: one node in so many is in a span.
  Both(const std::vector<int>& units, int spread)
      : spread_(spread),
        graph_(machine_of(units)),
        profile_(graph_),
        array_(units),
        view_(graph_),
        view_array_(units) {}

  void change() {
    const int what = pick(0, 5);
    if (what < 3 || spans_.empty()) {
      add();
    } else if (what == 3) {
      remove();
    } else {
      move_end();
    }
  }

  /// Covers or uncovers in the view, whatever is taken there.
  void change_view() {
    const int start = pick(0, TimeArray::kTicks);
    const int end = pick(0, 4) == 0 ? int{TimeArray::kForever} : pick(start, TimeArray::kTicks);
    const Units units = draw_units();
    const bool taken = pick(0, 1) == 0;
    taken ? view_.cover(ticks(start, end), to_set(units))
          : view_.uncover(ticks(start, end), to_set(units));
    view_array_.set(start, end, units, taken);
    compare_segments(view_, view_array_);
    const int node = pick(0, array_.nodes() - 1);
    const UnitMask free = view_.free_units(node_index(node), ticks(start, start + 1));
    RC_ASSERT(free == mask(node, view_array_.free_units(start, start + 1, node)));
  }

  void compare() {
    compare_segments(profile_, array_);
    const int start = pick(0, TimeArray::kTicks);
    const int end = pick(start + 1, TimeArray::kForever);
    const NodeSet idle = profile_.idle_throughout(ticks(start, end));
    for (int node = 0; node < array_.nodes(); ++node) {
      RC_ASSERT(idle.test(node_index(node)) == array_.is_idle(start, end, node));
    }
    const int node = pick(0, array_.nodes() - 1);
    const UnitMask free = profile_.free_units(node_index(node), ticks(start, end));
    RC_ASSERT(free == mask(node, array_.free_units(start, end, node)));
    const Units units = draw_units();
    RC_ASSERT(profile_.is_free(ticks(start, end), to_set(units)) ==
              array_.is_free(start, end, units));
  }

  void compare_window() {
    std::set<int> eligible;
    NodeSet eligible_set(graph_.node_count());
    for (int node = 0; node < array_.nodes(); ++node) {
      if (pick(0, 4) == 0) continue;
      eligible.insert(node);
      eligible_set.set(node_index(node));
    }
    const int length = pick(1, 8);
    int from = pick(0, TimeArray::kTicks);
    IdleWindow window(profile_, eligible_set, {later_tick(from), later_tick(from + length)});
    for (int moves = pick(0, 6); moves > 0; --moves) {
      const auto next = next_change(from);
      if (pick(0, 1) == 0) {
        from += pick(0, 3);
        window.move_to(later_tick(from));
      } else {
        RC_ASSERT(window.advance() == next.has_value());
        if (!next) return;
        from = *next;
      }
      RC_ASSERT(window.span() == (Span{later_tick(from), later_tick(from + length)}));
      RC_ASSERT(window.count() == array_.idle_nodes(from, length, eligible).size());
      RC_ASSERT(window.idle() == to_nodes(array_.idle_nodes(from, length, eligible)));
    }
    const auto wanted = pick(1, array_.nodes());
    std::optional<int> limit;
    if (pick(0, 1) == 0) limit = pick(from, TimeArray::kTicks + 10);
    const auto expected =
        array_.first_start(from, length, static_cast<std::size_t>(wanted), eligible, limit);
    const bool found =
        window.seek(static_cast<std::uint32_t>(wanted), limit ? later_tick(*limit) : Time::never());
    RC_ASSERT(found == expected.has_value());
    if (!found) return;
    RC_ASSERT(window.span() == (Span{later_tick(*expected), later_tick(*expected + length)}));
    RC_ASSERT(window.idle() == to_nodes(array_.idle_nodes(*expected, length, eligible)));
  }

  /// Equal contents mean equal profiles, whatever the history: the spans in another order,
  /// and taken apart unit by unit. When all is removed, it is a new profile again.
  void compare_histories() {
    Profile backwards(graph_);
    Profile in_pieces(graph_);
    for (auto span = spans_.rbegin(); span != spans_.rend(); ++span) {
      backwards.add(ticks(span->start, span->end), to_set(span->units));
      for (const auto& [node, units] : span->units) {
        for (const int unit : units) {
          const int middle = pick(span->start, span->end - 1);
          const ResourceSet piece = to_set({{node, {unit}}});
          in_pieces.add(ticks(middle, span->end), piece);
          in_pieces.add(ticks(span->start, middle), piece);
        }
      }
    }
    RC_ASSERT(backwards == profile_);
    RC_ASSERT(in_pieces == profile_);
    const Profile fork = profile_;
    while (!spans_.empty()) remove();
    RC_ASSERT(profile_ == Profile(graph_));
    RC_ASSERT(fork == backwards);
  }

 private:
  struct Taken {
    int start;
    int end;
    Units units;
  };

  UnitMask mask(int node, const std::set<int>& units) const {
    UnitMask made(graph_.shape_of(node_index(node)).units);
    for (const int unit : units) made.set(static_cast<std::uint32_t>(unit));
    return made;
  }

  ResourceSet to_set(const Units& units) const {
    ResourceSet set;
    for (const auto& [node, wanted] : units) {
      const NodeIndex index = node_index(node);
      if (array_.units(node) == 0) {
        set.append_whole(index);
      } else {
        set.append_part(index, mask(node, wanted), graph_.shape_of(index));
      }
    }
    return set;
  }

  NodeSet to_nodes(const std::set<int>& nodes) const {
    NodeSet set(graph_.node_count());
    for (const int node : nodes) set.set(node_index(node));
    return set;
  }

  Units draw_units() const {
    Units units;
    const bool whole_only = pick(0, 2) == 0;
    for (int node = 0; node < array_.nodes(); ++node) {
      if (pick(1, spread_) != 1) continue;
      const std::set<int> all = array_.all_units(node);
      if (whole_only || pick(0, 2) == 0) {
        units[node] = all;
        continue;
      }
      const int first = pick(0, static_cast<int>(all.size()) - 1);
      const int last = pick(first, static_cast<int>(all.size()) - 1);
      for (int unit = first; unit <= last; ++unit) units[node].insert(unit);
    }
    return units;
  }

  void add() {
    const int start = pick(0, TimeArray::kTicks);
    const int end = pick(0, 4) == 0 ? int{TimeArray::kForever} : pick(start, TimeArray::kTicks);
    // What is in the way is left out, so that crowded machines stay crowded.
    Units units;
    for (const auto& [node, wanted] : draw_units()) {
      for (const int unit : wanted) {
        if (array_.is_free(start, end, node, unit)) units[node].insert(unit);
      }
    }
    profile_.add(ticks(start, end), to_set(units));
    if (end <= start || units.empty()) return;
    array_.set(start, end, units, true);
    spans_.push_back({start, end, std::move(units)});
  }

  void remove() {
    const int index = pick(0, static_cast<int>(spans_.size()) - 1);
    const Taken span = spans_[static_cast<std::size_t>(index)];
    profile_.remove(ticks(span.start, span.end), to_set(span.units));
    array_.set(span.start, span.end, span.units, false);
    spans_.erase(spans_.begin() + index);
  }

  void move_end() {
    Taken& span = spans_[static_cast<std::size_t>(pick(0, static_cast<int>(spans_.size()) - 1))];
    const int end = pick(span.start + 1, TimeArray::kForever);
    if (end > span.end && !array_.is_free(span.end, end, span.units)) return;
    profile_.move_end(tick(span.end), tick(end), to_set(span.units));
    array_.set(span.start, span.end, span.units, false);
    array_.set(span.start, end, span.units, true);
    span.end = end;
  }

  std::optional<int> next_change(int from) const {
    for (const auto& [start, idle] : array_.segments()) {
      if (start > from) return start;
    }
    return std::nullopt;
  }

  static void compare_segments(const Profile& profile, const TimeArray& array) {
    const auto expected = array.segments();
    RC_ASSERT(profile.segments().size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Profile::Segment& segment = profile.segments()[i];
      RC_ASSERT(segment.start == (i == 0 ? kBeginning : tick(expected[i].first)));
      RC_ASSERT(segment.idle_count == std::ranges::count(expected[i].second, true));
      for (std::size_t node = 0; node < expected[i].second.size(); ++node) {
        RC_ASSERT(segment.idle.test(node_index(static_cast<int>(node))) ==
                  expected[i].second[node]);
      }
      const Time end = i + 1 < expected.size() ? tick(expected[i + 1].first) : Time::never();
      RC_ASSERT(profile.segment_end(i) == end);
      RC_ASSERT(profile.segment_at(segment.start) == i);
      if (i > 0) {
        RC_ASSERT(profile.segment_at(segment.start - Duration::microseconds(1)) == i - 1);
      }
    }
    RC_ASSERT(profile.segment_at(Time::never()) == expected.size() - 1);
  }

  int spread_;
  graph::ResourceGraph graph_;
  Profile profile_;
  TimeArray array_;
  std::vector<Taken> spans_;
  Profile view_;
  TimeArray view_array_;
};

void run(const std::vector<int>& units, int spread, int most_changes = 40) {
  Both both(units, spread);
  for (int i = pick(1, most_changes); i > 0; --i) {
    both.change();
    both.change_view();
    both.compare();
    both.compare_window();
  }
  both.compare_histories();
}

TEST(ProfileOracle, AFewNodesOfMixedShapesEqualTheArray) {
  EXPECT_TRUE(rc::check([] {
    std::vector<int> units;
    for (int node = pick(1, 6); node > 0; --node) units.push_back(pick(0, 4));
    run(units, 2);
  }));
}

TEST(ProfileOracle, NodesOverSeveralWordsEqualTheArray) {
  EXPECT_TRUE(rc::check([] {
    std::vector<int> units(static_cast<std::size_t>(pick(62, 131)), 2);
    units.front() = 1;
    units.back() = 3;
    run(units, pick(2, 20), 8);
  }));
}

TEST(ProfileOracle, UnitsOverSeveralWordsEqualTheArray) {
  EXPECT_TRUE(rc::check([] { run({pick(60, 70), pick(125, 135)}, 2, 10); }));
}

TEST(ProfileOracle, AMovedEndIsNeverCountedTwice) {  // E3, in every order of the two events
  const graph::ResourceGraph graph = machine_of({1, 1, 1, 1});
  const ResourceSet all = graph.whole_nodes(NodeSet::full(4));
  for (int end = 1; end <= TimeArray::kTicks; ++end) {
    Profile profile(graph);
    profile.add(ticks(0, 10), all);
    // The plan behind it makes room first, the end moves, the plan is made again.
    profile.add(ticks(10, 20), all);
    profile.remove(ticks(10, 20), all);
    profile.move_end(tick(10), tick(end), all);
    for (int t = 0; t < 25; ++t) {
      const auto& segment = profile.segments()[profile.segment_at(later_tick(t))];
      EXPECT_EQ(segment.idle_count, t < end ? 0U : 4U) << "end " << end << " at " << t;
    }
    const NodeSet eligible = NodeSet::full(4);
    IdleWindow window(profile, eligible, {tick(0), tick(1)});
    ASSERT_TRUE(window.seek(4, Time::never()));
    EXPECT_EQ(window.span().start, tick(end));
  }
}

}  // namespace
}  // namespace tenure::profile
