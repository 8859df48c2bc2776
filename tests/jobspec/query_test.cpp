#include "jobspec/query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tenure::jobspec {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

std::string query(std::string_view text) {
  const auto parsed = parse_query(text, {.default_operator = "name", .aliases = {}});
  return parsed ? json::serialize(*parsed) : parsed.error().message;
}

std::string plain(std::string_view text) { return json::serialize(json::parse(text)); }

TEST(Query, EveryExampleOfRfc35) {
  EXPECT_EQ(query("foo"), plain(R"({"name": ["foo"]})"));
  EXPECT_EQ(query("foo bar"), plain(R"({"and": [{"name": ["foo"]}, {"name": ["bar"]}]})"));
  EXPECT_EQ(query("foo bar state:started"),
            plain(R"({"and": [{"name": ["foo"]}, {"name": ["bar"]}, {"state": ["started"]}]})"));
  EXPECT_EQ(query("a|b|c"),
            plain(R"({"or": [{"name": ["a"]}, {"name": ["b"]}, {"name": ["c"]}]})"));
  EXPECT_EQ(query("a|b&c"),
            plain(R"({"or": [{"name": ["a"]}, {"and": [{"name": ["b"]}, {"name": ["c"]}]}]})"));
  EXPECT_EQ(query("(a|b)&c"),
            plain(R"({"and": [{"or": [{"name": ["a"]}, {"name": ["b"]}]}, {"name": ["c"]}]})"));
  EXPECT_EQ(query("(a|-b)&c"), plain(R"({"and": [{"or": [{"name": ["a"]},
      {"not": [{"name": ["b"]}]}]}, {"name": ["c"]}]})"));
}

TEST(Query, OperatorsAsSignsAndAsWordsAreTheSame) {
  for (const char* text : {"a&b", "a&&b", "a and b", "a b", " a  b "}) {
    EXPECT_EQ(query(text), query("a&b")) << text;
  }
  for (const char* text : {"a|b", "a||b", "a or b"}) EXPECT_EQ(query(text), query("a|b")) << text;
  EXPECT_EQ(query("not op:x"), query("-op:x"));
  EXPECT_EQ(query("andy"), plain(R"({"name": ["andy"]})"));
  EXPECT_EQ(query("notable or orb"),
            plain(R"({"or": [{"name": ["notable"]}, {"name": ["orb"]}]})"));
}

TEST(Query, QuotesKeepWhatIsBetweenThem) {
  EXPECT_EQ(query("foo:'this is args'"), plain(R"({"foo": ["this is args"]})"));
  EXPECT_EQ(query("\"and\""), plain(R"({"name": ["and"]})"));
  EXPECT_EQ(query("'a|b'"), plain(R"({"name": ["a|b"]})"));
}

TEST(Query, MistakesSayWhere) {
  EXPECT_THAT(query("-(a|b)"), HasSubstr("'-' stands before a term only"));
  EXPECT_THAT(query("(a"), HasSubstr("at byte 3: expected ')'"));
  EXPECT_THAT(query("a)"), HasSubstr("at byte 2: ')' without '('"));
  EXPECT_THAT(query("a|"), HasSubstr("expected a term"));
  EXPECT_THAT(query("|a"), HasSubstr("expected a term"));
  EXPECT_THAT(query("a and or b"), HasSubstr("expected a term"));
  EXPECT_THAT(query("host:"), HasSubstr("expected a term"));
  EXPECT_THAT(query("'a"), HasSubstr("a quote is not closed"));
  EXPECT_THAT(query(std::string(5000, '(')), HasSubstr("is nested deeper than 32"));
  EXPECT_THAT(query("\xff"), HasSubstr("not UTF-8"));
}

TEST(Query, ConstraintsHaveShortNames) {
  const auto parsed = parse_query("ssd host:n[1-2] rank:0-3");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(json::serialize(*parsed),
            plain(R"({"and": [{"properties": ["ssd"]}, {"hostlist": ["n[1-2]"]},
                {"ranks": ["0-3"]}]})"));
  EXPECT_TRUE(Constraint::parse(*parsed));
  EXPECT_TRUE(Constraint::parse(*parse_query(""))->always());
}

RC_GTEST_PROP(Query, AnyTextIsReadOrRefused, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab:()-|& '\"not or")));
  const auto parsed = parse_query(text);
  if (!parsed) {
    RC_ASSERT(!parsed.error().message.empty());
    return;
  }
  RC_ASSERT(parsed->is_object());
}

}  // namespace
}  // namespace tenure::jobspec
