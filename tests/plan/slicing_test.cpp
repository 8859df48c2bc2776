// The decisions of a pass do not depend on where it was sliced.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "plan/event_stream.hpp"
#include "plan/from_scratch.hpp"

namespace tenure::plan {
namespace {

using Clock = std::chrono::steady_clock;

/// A pass in slices of `budget`; what it decided, as text.
std::string decided_within(Engine engine, Time now, Clock::duration budget) {
  for (;;) {
    const auto until = Clock::now() + budget;
    if (engine.plan(now, [&] { return Clock::now() < until; }) == PassState::complete) break;
  }
  std::string text = testing::text_of(engine);
  for (const Start& start : engine.take_starts()) {
    text += fmt::format("starts {} selection {}\n", start.id.value(),
                        static_cast<int>(start.selection));
  }
  return text + testing::text_of(engine.next_wakeup());
}

std::string decided_at_once(Engine engine, Time now) {
  return decided_within(std::move(engine), now, std::chrono::hours(1));
}

TEST(Slicing, BudgetsOfZeroAMillisecondAndNoneDecideTheSameOverRandomStreams) {
  int passes = 0;
  int started_some = 0;
  for (std::uint64_t seed = 1; seed <= 150 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    testing::Stream stream(seed);
    stream.before_pass = [&](const Engine& engine, Time now) {
      const std::string whole = decided_at_once(engine, now);
      EXPECT_EQ(decided_within(engine, now, std::chrono::milliseconds(1)), whole);
      EXPECT_EQ(decided_within(engine, now, Clock::duration::zero()), whole);
      ++passes;
      if (whole.find("starts ") != std::string::npos) ++started_some;
    };
    for (int i = 0; i < 100; ++i) stream.step();
  }
  EXPECT_GT(passes, 5000);
  EXPECT_GT(started_some, 500);
}

}  // namespace
}  // namespace tenure::plan
