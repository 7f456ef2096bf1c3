#include "controller/api/map/query.h"

#include <gtest/gtest.h>

namespace berth::controller::api {
namespace {

Target target_of(const std::string& text) {
  const auto target = parse_target(text);
  EXPECT_TRUE(target.ok()) << text;
  return target.ok() ? *target : Target{};
}

TEST(Target, SplitsAndDecodesThePath) {
  EXPECT_EQ(target_of("/").segments, std::vector<std::string>{});
  EXPECT_EQ(target_of("/v1/sessions").segments, (std::vector<std::string>{"v1", "sessions"}));
  EXPECT_EQ(target_of("/v1/sessions/a%2Fb+c").segments,
            (std::vector<std::string>{"v1", "sessions", "a/b+c"}));
  EXPECT_EQ(target_of("/v1/sessions/").segments, (std::vector<std::string>{"v1", "sessions", ""}));
}

TEST(Target, DecodesParameters) {
  const Target target = target_of("/x?a=1&b=x%20y+z&c&&d=");
  ASSERT_EQ(target.parameters.size(), 4u);
  EXPECT_EQ(target.parameters[1], (std::pair<std::string, std::string>{"b", "x y z"}));
  EXPECT_EQ(target.parameters[2], (std::pair<std::string, std::string>{"c", ""}));
}

TEST(Target, RefusesWhatIsNotEncodedRight) {
  for (const char* text : {"", "x", "http://host/", "/%", "/%4", "/%zz", "/%00", "/x?a=%", "/x?%=1"})
    EXPECT_FALSE(parse_target(text).ok()) << text;
}

TEST(Target, RefusesWhatIsNoUtf8AndQuotesNoneOfIt) {
  for (const char* target : {"/v1/groups/%ff", "/v1/sessions/a?reason=%ff%fe", "/v1/groups/\xff",
                             "/v1/%c0%af", "/v1/%ed%a0%80", "/v1/%e2%82"}) {
    const auto parsed = parse_target(target);
    ASSERT_FALSE(parsed.ok()) << target;
    EXPECT_EQ(parsed.error().message.find('\xff'), std::string::npos);
    EXPECT_FALSE(parsed.error().hint.empty());
  }
  EXPECT_TRUE(parse_target("/v1/groups/%ea%b7%b8%eb%a3%b9").ok());
}

TEST(Query, RefusesUnknownRepeatedAndWrongParameters) {
  struct Case {
    const char* target;
    const char* code;
    const char* place;
  };
  for (const Case& c :
       {Case{"/x?limt=5", "unknown-parameter", "?limt"},
        Case{"/x?limit=5&limit=6", "invalid-parameter", "?limit"},
        Case{"/x?limit=0", "invalid-parameter", "?limit"},
        Case{"/x?limit=1001", "invalid-parameter", "?limit"},
        Case{"/x?limit=1x", "invalid-parameter", "?limit"}, Case{"/x?limit=", "invalid-parameter", "?limit"},
        Case{"/x?limit=99999999999999999999", "invalid-parameter", "?limit"},
        Case{"/x?forced=maybe", "invalid-parameter", "?forced"},
        Case{"/x?wait=31s", "invalid-parameter", "?wait"},
        Case{"/x?wait=soon", "invalid-parameter", "?wait"}}) {
    const Target target = target_of(c.target);
    Errors errors;
    Query query(target, errors);
    query.integer("limit", 1, 1000);
    query.flag("forced", false);
    query.duration_ms("wait", 30'000);
    query.finish();
    ASSERT_FALSE(errors.empty()) << c.target;
    const Problem problem = std::move(errors).take();
    EXPECT_EQ(problem.code, c.code) << c.target;
    EXPECT_EQ(problem.errors[0].place, c.place);
  }
}

TEST(Query, ReadsFlagsNumbersAndLists) {
  const Target target = target_of("/x?forced&limit=7&state=PENDING,,RUNNING&min=0");
  Errors errors;
  Query query(target, errors);
  EXPECT_TRUE(query.flag("forced", false));
  EXPECT_EQ(query.integer("limit", 1, 1000), 7);
  EXPECT_EQ(query.integer("absent", 1, 1000), std::nullopt);
  EXPECT_EQ(query.list("state"), (std::vector<std::string>{"PENDING", "RUNNING"}));
  EXPECT_FALSE(query.flag("min", true));
  query.finish();
  EXPECT_TRUE(errors.empty());
}

}  // namespace
}  // namespace berth::controller::api
