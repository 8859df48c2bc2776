#include "emul/swf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

namespace tenure::emul {
namespace {

using ::testing::HasSubstr;

struct Read {
  Result<SwfHeader> header;
  std::vector<SwfJob> jobs;
  OddityCounts oddities;
};

Read parse(std::string_view text) {
  Read read{SwfHeader{}, {}, {}};
  read.header = parse_swf(
      text, "t.swf", [&](const SwfJob& job) { read.jobs.push_back(job); }, read.oddities);
  return read;
}

Read read_file(const std::string& path) {
  Read read{SwfHeader{}, {}, {}};
  read.header = read_swf(
      path, [&](const SwfJob& job) { read.jobs.push_back(job); }, read.oddities);
  return read;
}

std::string error_of(const Read& read) {
  return read.header ? std::string("no error") : read.header.error().message;
}

constexpr std::string_view kJob = "7 100 5 60 4 -1 -1 8 3600 -1 1 3 2 9 1 0 -1 -1";

std::filesystem::path temporary(std::string_view name) {
  return std::filesystem::path(::testing::TempDir()) / name;
}

TEST(Swf, a_line_gives_all_eighteen_fields) {
  const Read read = parse(kJob);
  ASSERT_TRUE(read.header) << error_of(read);
  ASSERT_EQ(read.jobs.size(), 1U);
  const SwfJob& job = read.jobs[0];
  EXPECT_EQ(job[SwfField::number], 7);
  EXPECT_EQ(job[SwfField::submit], 100);
  EXPECT_EQ(job[SwfField::wait], 5);
  EXPECT_EQ(job[SwfField::runtime], 60);
  EXPECT_EQ(job[SwfField::allocated_procs], 4);
  EXPECT_EQ(job[SwfField::requested_procs], 8);
  EXPECT_EQ(job[SwfField::requested_time], 3600);
  EXPECT_EQ(job[SwfField::status], 1);
  EXPECT_EQ(job[SwfField::executable], 9);
  EXPECT_EQ(job[SwfField::think_time], -1);
}

TEST(Swf, header_labels_are_kept_in_order_and_found_ignoring_case) {
  const Read read = parse(
      "; Version: 2.2\n;   MaxNodes: 1152\n;MaxProcs:9216\n; Note: one\n; Note: two: x\n"
      "; no label here\n; two words: no\n;\n;;\n");
  ASSERT_TRUE(read.header) << error_of(read);
  EXPECT_EQ(read.header->labels.size(), 5U);
  EXPECT_EQ(read.header->number("maxnodes"), 1152);
  EXPECT_EQ(read.header->number("MaxProcs"), 9216);
  ASSERT_NE(read.header->find("Note"), nullptr);
  EXPECT_EQ(*read.header->find("Note"), "one");
  EXPECT_EQ(read.header->labels[4].second, "two: x");
  EXPECT_EQ(read.header->number("MaxJobs"), std::nullopt);
}

TEST(Swf, header_number_is_the_leading_positive_integer) {
  const Read read = parse("; MaxNodes: 128 (96 batch)\n; MaxProcs: unknown\n; MaxJobs: -1\n");
  EXPECT_EQ(read.header->number("MaxNodes"), 128);
  EXPECT_EQ(read.header->number("MaxProcs"), std::nullopt);
  EXPECT_EQ(read.header->number("MaxJobs"), std::nullopt);
}

TEST(Swf, a_nineteenth_field_is_tolerated_and_counted) {
  const Read read = parse(std::string(kJob) + " 42\n" + std::string(kJob) + "\n");
  ASSERT_TRUE(read.header) << error_of(read);
  EXPECT_EQ(read.jobs.size(), 2U);
  EXPECT_EQ(read.oddities.of(Oddity::extra_fields), 1U);
}

TEST(Swf, fractions_are_rounded_and_counted_except_in_cpu_time) {
  const Read read = parse("1 0.6 -1 59.4 1 12.75 -1 1 60.0 -1 1 1 1 1 1 1 -1 -1");
  ASSERT_TRUE(read.header) << error_of(read);
  EXPECT_EQ(read.jobs[0][SwfField::submit], 1);
  EXPECT_EQ(read.jobs[0][SwfField::runtime], 59);
  EXPECT_EQ(read.jobs[0][SwfField::requested_time], 60);
  EXPECT_EQ(read.oddities.of(Oddity::fraction), 2U);
}

TEST(Swf, comments_blank_lines_crlf_and_a_missing_last_newline_are_fine) {
  const std::string job(kJob);
  const Read read = parse("\r\n; a: b\r\n  \t\n" + job + "\r\n  ; c: d\n\t" + job);
  ASSERT_TRUE(read.header) << error_of(read);
  EXPECT_EQ(read.jobs.size(), 2U);
  EXPECT_EQ(*read.header->find("c"), "d");
}

TEST(Swf, too_few_fields_name_file_line_and_number) {
  const Read read = parse("; x: y\n" + std::string(kJob) + "\n1 2 3\n");
  EXPECT_EQ(error_of(read), "t.swf:3: 3 fields; a job has 18 (up to 64 are tolerated)");
  EXPECT_EQ(read.header.error().code, ErrorCode::invalid);
}

TEST(Swf, a_word_that_is_no_number_names_line_field_and_value) {
  const Read read = parse("7 100 5 soon 4 -1 -1 8 3600 -1 1 3 2 9 1 0 -1 -1");
  EXPECT_EQ(error_of(read),
            "t.swf:1: field 4 (run time): 'soon' is not -1 (unknown) to 100000000000");
}

TEST(Swf, values_beyond_the_bounds_are_refused) {
  for (const std::string_view value : {"nan", "inf", "1e30", "100000000001", "0x10", "1-", "--1"}) {
    const Read read = parse(fmt::format("7 {} 5 1 4 -1 -1 8 3600 -1 1 3 2 9 1 0 -1 -1", value));
    EXPECT_THAT(error_of(read), HasSubstr("field 2 (submit time)")) << value;
  }
}

TEST(Swf, a_hundred_fields_are_refused) {
  std::string line;
  for (int i = 0; i < 100; ++i) line += "1 ";
  EXPECT_THAT(error_of(parse(line)), HasSubstr("too many fields"));
}

TEST(Swf, a_file_that_does_not_exist_is_an_io_error_with_its_name) {
  const Read read = read_file("/nonexistent/trace.swf");
  ASSERT_FALSE(read.header);
  EXPECT_EQ(read.header.error().code, ErrorCode::io);
  EXPECT_EQ(error_of(read), "/nonexistent/trace.swf: there is no such file");
}

TEST(Swf, a_directory_is_an_io_error) {
  const Read read = read_file(::testing::TempDir());
  ASSERT_FALSE(read.header);
  EXPECT_EQ(read.header.error().code, ErrorCode::io);
}

void write_packed(const std::filesystem::path& path, std::string_view text) {
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
}

TEST(Swf, packed_and_plain_files_read_alike_across_chunks) {
  std::string text = "; MaxNodes: 4\n";
  for (int i = 0; i < 5000; ++i)
    text += fmt::format("{} {} -1 1 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n", i, i);
  const auto plain = temporary("tenure_swf_plain.swf");
  const auto packed = temporary("tenure_swf_packed.swf.gz");
  std::ofstream(plain) << text;
  write_packed(packed, text);
  for (const auto& path : {plain, packed}) {
    const Read read = read_file(path.string());
    ASSERT_TRUE(read.header) << error_of(read);
    ASSERT_EQ(read.jobs.size(), 5000U);
    EXPECT_EQ(read.jobs[4999][SwfField::submit], 4999);
    EXPECT_EQ(read.header->number("MaxNodes"), 4);
    std::filesystem::remove(path);
  }
}

TEST(Swf, packed_data_cut_short_is_an_error) {
  const auto path = temporary("tenure_swf_cut.swf.gz");
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += fmt::format("{} {} -1 {} 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n", i, i * 7, i * i);
  write_packed(path, text);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const Read read = read_file(path.string());
  ASSERT_FALSE(read.header);
  EXPECT_EQ(read.header.error().code, ErrorCode::io);
  EXPECT_THAT(
      error_of(read),
      HasSubstr("tenure_swf_cut.swf.gz: ends in the middle of the packed data: unexpected end"));
  std::filesystem::remove(path);
}

TEST(Swf, a_line_without_end_is_refused_with_its_place) {
  const auto path = temporary("tenure_swf_long.swf");
  std::ofstream(path) << "; ok: 1\n" << std::string(kMaxSwfLine + 200'000, '1');
  const Read read = read_file(path.string());
  ASSERT_FALSE(read.header);
  EXPECT_EQ(read.header.error().code, ErrorCode::limit);
  EXPECT_THAT(error_of(read), HasSubstr("tenure_swf_long.swf:2: longer than"));
  std::filesystem::remove(path);
}

RC_GTEST_PROP(SwfProperty, any_text_is_read_or_refused_with_a_line_number,
              (const std::string& text)) {
  const Read read = parse(text);
  if (!read.header) RC_ASSERT(read.header.error().message.starts_with("t.swf:"));
}

RC_GTEST_PROP(SwfProperty, numbers_written_are_the_numbers_read, ()) {
  SwfJob job{};
  for (std::int64_t& value : job.values) {
    value = *rc::gen::inRange<std::int64_t>(-1, 4'000'000'000);
  }
  const Read read = parse(fmt::format("  {}\n", fmt::join(job.values, "  ")));
  RC_ASSERT(read.header.has_value());
  RC_ASSERT(read.jobs.size() == 1U);
  RC_ASSERT(read.jobs[0].values == job.values);
}

}  // namespace
}  // namespace tenure::emul
