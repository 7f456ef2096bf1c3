#include "events/base/trace_context.h"

#include <gtest/gtest.h>

#include "events/base/hash.h"

namespace berth {
namespace {

const std::string kGiven = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceContext, WhatIsReadIsWrittenAsItWas) {
  const auto context = parse_traceparent(kGiven);
  ASSERT_TRUE(context);
  EXPECT_EQ(to_hex(as_view(context->trace)), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(to_hex(as_view(context->parent)), "b7ad6b7169203331");
  EXPECT_EQ(context->flags, 1);
  EXPECT_EQ(to_traceparent(*context), kGiven);
}

TEST(TraceContext, OfAVersionToComeTheKnownPartCounts) {
  const std::string later = "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03";
  EXPECT_EQ(to_traceparent(*parse_traceparent(later)), kGiven);
  EXPECT_EQ(to_traceparent(*parse_traceparent(later + "-what-comes-then")), kGiven);
  EXPECT_FALSE(parse_traceparent(later + ".what"));
}

TEST(TraceContext, WhatIsMalformedNamesNoTrace) {
  for (const std::string& text :
       {std::string(), std::string("00"), kGiven + "-", kGiven + "-00", "ff" + kGiven.substr(2),
        std::string("00-00000000000000000000000000000000-b7ad6b7169203331-01"),
        std::string("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"),
        std::string("00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        std::string("00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01"), " " + kGiven.substr(1)})
    EXPECT_FALSE(parse_traceparent(text)) << text;
}

TEST(TraceContext, ASessionWithoutATraceHasOneOfItsRequest) {
  const Uuid request = *Uuid::parse("0192f3c5-0000-4000-8000-000000000001");
  EXPECT_EQ(to_traceparent(trace_of_session("", request)),
            "00-0192f3c5000040008000000000000001-0000000000000000-01");
  EXPECT_EQ(to_traceparent(trace_of_session(kGiven, request)), kGiven);
}

TEST(TraceContext, DerivedSpansDifferByIdAndName) {
  const Uuid one = *Uuid::parse("0192f3c5-0000-4000-8000-000000000001"), two = Uuid::from_hash(Hash128{1});
  EXPECT_EQ(derived_span(one, "session"), derived_span(one, "session"));
  EXPECT_NE(derived_span(one, "session"), derived_span(two, "session"));
  EXPECT_NE(derived_span(one, "session"), derived_span(one, "start 1"));
}

}  // namespace
}  // namespace berth
