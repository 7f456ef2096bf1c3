// The trace that a session's request came with stands in its row.
#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

const std::string kTrace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

v1::Event traced(const std::string& trace) {
  v1::Event event = session_requested("s1");
  event.set_trace(trace);
  return event;
}

TEST(SessionTrace, StandsInTheRow) {
  EXPECT_EQ(given(definitions()).when({traced(kTrace)}).then_applied().session("s1").trace, kTrace);
}

TEST(SessionTrace, WhatIsNoneDoesNot) {
  EXPECT_EQ(given(definitions()).when({traced("t")}).then_applied().session("s1").trace, "");
}

}  // namespace
}  // namespace berth::testing
