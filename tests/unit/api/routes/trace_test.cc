// W3C trace context of calls
#include <gtest/gtest.h>

#include "events/base/hash.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

const std::string kGiven = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

api::HttpRequest end_of_s1(ApiRig& rig, const std::string& traceparent) {
  auto request = rig.request({.method = "DELETE", .target = "/v1/sessions/" + to_string(session_id("s1"))});
  request.traceparent = traceparent;
  return request;
}

// An API with a session s1, and what the journal was asked last.
struct TracedRig {
  explicit TracedRig(api::ApiOptions options = quiet_options())
      : it(small_cluster() + Events{session_requested("s1")}, std::move(options)) {
    it.cell.on_submit = [this](const v1::Request& request) { asked = request; };
  }
  v1::Request asked;
  ApiRig it;
};

TEST(TraceOfACall, WithoutSpansOfOurOwnItPassesThrough) {
  TracedRig rig;
  const auto reply = rig.it.send(end_of_s1(rig.it, kGiven));
  EXPECT_EQ(rig.asked.trace(), kGiven);
  EXPECT_EQ(ApiRig::header_of(reply, "traceresponse"), kGiven);
}

TEST(TraceOfACall, WhatIsMalformedIsAsIfNoneHadCome) {
  for (const char* wrong : {"", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", "hello"}) {
    TracedRig rig;
    const auto reply = rig.it.send(end_of_s1(rig.it, wrong));
    EXPECT_LT(reply.status, 300u) << wrong;
    EXPECT_EQ(rig.asked.trace(), "") << wrong;
    EXPECT_EQ(ApiRig::header_of(reply, "traceresponse"), "") << wrong;
  }
}

struct Answered {
  std::optional<TraceContext> trace;
  std::string span;
  unsigned status = 0;
};

api::ApiOptions with_spans(std::vector<Answered>& answered) {
  api::ApiOptions options = quiet_options();
  options.makes_spans = true;
  options.on_answer = [&](const api::Call& call, unsigned status) {
    answered.push_back({call.trace, call.span, status});
  };
  return options;
}

TEST(TraceOfACall, WithSpansTheJournalIsAskedBelowTheCallsOwn) {
  std::vector<Answered> answered;
  TracedRig rig(with_spans(answered));
  const auto reply = rig.it.send(end_of_s1(rig.it, kGiven));
  ASSERT_EQ(answered.size(), 1u);
  ASSERT_EQ(answered[0].span.size(), 8u);
  EXPECT_EQ(rig.asked.trace(), kGiven.substr(0, 36) + to_hex(answered[0].span) + "-01");
  EXPECT_EQ(to_traceparent(*answered[0].trace), kGiven);
  EXPECT_EQ(ApiRig::header_of(reply, "traceresponse"), rig.asked.trace());
}

TEST(TraceOfACall, OneThatCameWithoutIsNamedAfterTheRequest) {
  std::vector<Answered> answered;
  TracedRig rig(with_spans(answered));
  rig.it.send(end_of_s1(rig.it, ""));
  const auto context = parse_traceparent(rig.asked.trace());
  ASSERT_TRUE(context);
  EXPECT_EQ(as_view(context->trace), rig.asked.id());
}

}  // namespace
}  // namespace berth::testing
