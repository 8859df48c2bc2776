// Job ids in the forms of RFC 19.
#include "base/ids.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tenure {
namespace {

std::string dothex(std::uint64_t id) {
  return fmt::format("{:04x}.{:04x}.{:04x}.{:04x}", id >> 48U, (id >> 32U) & 0xffffU,
                     (id >> 16U) & 0xffffU, id & 0xffffU);
}

TEST(JobId, ReadsTheExamplesOfRfc19) {
  const JobId id(6'731'191'091'817'518);
  EXPECT_EQ(format_f58(id), "ƒuZZybuNNy");
  for (const auto* text : {"ƒuZZybuNNy", "fuZZybuNNy", "6731191091817518", "0x17e9fb8df16c2e",
                           "0017.e9fb.8df1.6c2e"}) {
    EXPECT_EQ(*parse_job_id(text), id) << text;
  }
  EXPECT_EQ(*parse_job_id("0xedaf97d000000"), *parse_job_id("000e.daf9.7d00.0000"));
  for (const auto* text : {"ƒZemgA8Bzf", "ƒ278oEf7zGf"}) {
    EXPECT_EQ(format_f58(*parse_job_id(text)), text);
  }
  EXPECT_EQ(format_f58(JobId(0)), "ƒ1");
}

TEST(JobId, IgnoresSurroundingWhiteSpace) {
  EXPECT_EQ(*parse_job_id(" 12\n"), JobId(12));
  EXPECT_EQ(*parse_job_id("\tƒ2 "), JobId(1));
  EXPECT_FALSE(parse_job_id("1 2"));
  EXPECT_FALSE(parse_job_id("   "));
}

TEST(JobId, RefusesOverflowForeignDigitsAndOtherForms) {
  EXPECT_EQ(*parse_job_id("18446744073709551615"), JobId(~std::uint64_t{0}));
  EXPECT_EQ(*parse_job_id("fjpXCZedGfVQ"), JobId(~std::uint64_t{0}));
  for (const auto* text :
       {"18446744073709551616", "fjpXCZedGfVR", "f0", "fO", "fI", "fl", "f", "0x10000000000000000",
        "0xg", "0017.e9fb.8df1", "0017.e9fb.8df1.6c2g", "0017.e9fb.8df1.6c2e.0000",
        "001.7e9fb.8df1.6c2e", "+1", "F1", "😄😹🎇", "reform-remote-galileo--heart-package-academy"}) {
    EXPECT_FALSE(parse_job_id(text)) << text;
  }
  EXPECT_EQ(parse_job_id("f0").error().message,
            "'f0' is not a job id: F58 (ƒ…), decimal, 0x hexadecimal or dothex");
}

RC_GTEST_PROP(JobId, RoundTripsThroughEveryForm, (std::uint64_t value)) {
  const auto id = value << *rc::gen::inRange(0U, 64U);
  for (const auto& text : {format_f58(JobId(id)), std::to_string(id), fmt::format("0x{:x}", id),
                           dothex(id)}) {  // dothex may begin with f, like F58
    RC_ASSERT(parse_job_id(text).has_value());
    RC_ASSERT(*parse_job_id(text) == JobId(id));
  }
  RC_ASSERT(*parse_job_id(dothex(id | 0xf000'0000'0000'0000ULL)) ==
            JobId(id | 0xf000'0000'0000'0000ULL));
}

}  // namespace
}  // namespace tenure
