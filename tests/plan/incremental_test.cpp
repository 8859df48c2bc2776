// Incremental = from scratch: after each complete pass of a long random event stream, the
// plan is that of a new engine which is given the same facts. TENURE_STREAMS sets the number
// of streams (a few hundred by default, ten thousand and more in the soak).
#include <gtest/gtest.h>

#include <cstdlib>

#include "plan/event_stream.hpp"
#include "plan/from_scratch.hpp"

namespace tenure::plan {
namespace {

TEST(Incremental, EqualsPlanningFromScratchOverRandomEventStreams) {
  const char* wanted = std::getenv("TENURE_STREAMS");
  const std::uint64_t streams = wanted == nullptr ? 300 : std::strtoull(wanted, nullptr, 10);
  for (std::uint64_t seed = 1; seed <= streams; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    testing::Stream stream(seed);
    for (int i = 0; i < 120 && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(fmt::format("event {}", i));
      if (!stream.step()) continue;
      EXPECT_EQ(testing::difference_from_scratch(stream.engine(), stream.now()), "");
    }
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace tenure::plan
