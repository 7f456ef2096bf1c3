// What Ctrl-C of `berth up` prints.
#include <gtest/gtest.h>

#include "ops/cli/stop_words.h"

namespace berth {
namespace {

UpOptions somewhere() {
  UpOptions options;
  options.data = "/tmp/b", options.listening.port = 7500, options.accelerator = "mock:1x2";
  return options;
}

TEST(StopWords, NameWhatGoesOnAndHowToComeBackAndHowToEndIt) {
  EXPECT_EQ(
      stop_words(somewhere(), {{"demo-1", "demo-2"}, {}}),
      "berth up: stopping; these go on: demo-1, demo-2\n"
      "  to come back   berth up --data /tmp/b --port 7500 --accelerator mock:1x2\n"
      "  to end them    berth --data /tmp/b session rm demo-1 demo-2   (when it is back; --end-kernels does "
      "so at a stop)\n");
}

TEST(StopWords, TellRequeueableOnesApart) {
  EXPECT_EQ(stop_words({}, {{}, {"job"}, 24 * kHour}),
            "berth up: stopping\n"
            "  go on for 24 h, then end and start again when it is back: job\n"
            "  to come back   berth up\n");
}

TEST(StopWords, SayHowLongALeaseIs) {
  EXPECT_NE(stop_words({}, {{}, {"job"}, 2 * kMinute}).find("  go on for 120 s, then end"),
            std::string::npos);
}

TEST(StopWords, NameAtMostTwenty) {
  const std::vector<std::string> many(25, "s");
  EXPECT_NE(stop_words({}, {many, {}}).find("s and 5 more\n"), std::string::npos);
}

TEST(StopWords, AreShortWhenNothingStays) {
  EXPECT_EQ(stop_words({}, {}), "berth up: stopping\n");
  UpOptions options;
  options.end_kernels = true;
  EXPECT_EQ(stop_words(options, {{"demo"}, {}}), "berth up: stopping; ending kernels\n");
}

}  // namespace
}  // namespace berth
