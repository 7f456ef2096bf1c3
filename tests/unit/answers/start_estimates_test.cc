#include "controller/answers/start_estimates.h"

#include <gtest/gtest.h>

#include "controller/feed/cluster_feed.h"
#include "tests/support/given.h"
#include "tests/support/limits.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

// Follows a given state as the explainer does.
class Estimates : public ::testing::Test {
 protected:
  struct Listener {
    void on_row(const projections::SessionRow* before, const projections::SessionRow* after) {
      test.feed.on_row(before, after);
      test.estimates.on_session(before, after);
    }
    template <class Row>
    requires requires(ClusterFeed& feed, const Row* row) { feed.on_row(row, row); }
    void on_row(const Row* before, const Row* after) { test.feed.on_row(before, after); }
    Estimates& test;
  };

  Estimates() {
    feed.rebuild(given.state(), given.journal().time());
    given.projection().set_listener(&listener);
  }

 public:
  ~Estimates() override { given.projection().set_listener(nullptr); }

 protected:
  void runs(const std::string& name, Duration time, const v1::SessionSpec& spec = Spec().cpu(1)) {
    given.and_given(running(name, "a1", spec));
    given.after(time);
    given.and_given({kernel_terminated(kernel_name(name))});
  }
  ExpectedStart expect(const std::string& name) {
    return estimates.expect(feed.cluster(), given.state(), given.session(name), given.journal().time());
  }
  static std::int64_t seconds(std::optional<Timestamp> at, Timestamp from) {
    return at ? (*at - from + kSecond / 2) / kSecond : -1;
  }

  Given given{definitions() + Events{agent_enrolled("a1"), agent_joined("a1", 2, 64 * kGiga)}};
  ClusterFeed feed;
  StartEstimates estimates;
  Listener listener{*this};
};

TEST_F(Estimates, ComeFromHowLongSessionsOfTheKindRan) {
  for (int i = 1; i <= 10; ++i) runs("past" + std::to_string(i), i * 10 * kSecond);
  given.and_given(running("long", "a1", Spec().cpu(2)));
  given.and_given({session_requested("waits", Spec().cpu(2))});
  const Timestamp now = given.journal().time();
  EXPECT_NEAR(static_cast<double>(seconds(expect("waits").p50, now)), 50, 1);
  EXPECT_NEAR(static_cast<double>(seconds(expect("waits").p90, now)), 90, 1);
  given.after(65 * kSecond);  // of the runs that were longer: 70, 80, 90, 100
  EXPECT_NEAR(static_cast<double>(seconds(expect("waits").p50, given.journal().time())), 80 - 65, 1);
}

TEST_F(Estimates, AreNotThereWithoutHistoryOrADeclaredEnd) {
  given.and_given(running("long", "a1", Spec().cpu(2)));
  given.and_given({session_requested("waits", Spec().cpu(2))});
  EXPECT_EQ(expect("waits").p50, std::nullopt);
}

TEST_F(Estimates, AreNotThereAfterTwoRunsAlone) {
  runs("past1", 10 * kSecond);
  runs("past2", 10 * kSecond);
  given.and_given(running("long", "a1", Spec().cpu(2)));
  given.and_given({session_requested("waits", Spec().cpu(2))});
  EXPECT_EQ(expect("waits").p50, std::nullopt);
}

TEST_F(Estimates, UseTheDeclaredEnd) {
  given.and_given(running("job", "a1", Spec().batch().cpu(2).batch_timeout(60 * kSecond)));
  given.and_given({session_requested("waits", Spec().cpu(2))});
  given.after(20 * kSecond);
  const Timestamp now = given.journal().time();
  EXPECT_NEAR(static_cast<double>(seconds(expect("waits").p50, now)), 40, 1);
  EXPECT_NEAR(static_cast<double>(seconds(expect("waits").p90, now)), 40, 1);
}

TEST_F(Estimates, ArePublishedWithHowOftenTheyCameTrue) {
  for (int i = 1; i <= 10; ++i) runs("past" + std::to_string(i), i * 10 * kSecond);
  for (const int late : {40, 60, 100}) {  // P50 is 50 s, P90 90 s
    const std::string n = std::to_string(late);
    given.and_given(running("run" + n, "a1", Spec().cpu(2)));
    given.and_given({session_requested("waits" + n, Spec().cpu(2).image("python:3.11"))});
    // What runs now has the history of the ten alone: those of this loop ended in between.
    const Timestamp now = given.journal().time();
    estimates.told(session_id("waits" + n), {now + 50 * kSecond, now + 90 * kSecond}, now);
    estimates.told(session_id("waits" + n), {now, now}, now);  // not counted
    given.after(late * kSecond);
    given.and_given({kernel_terminated(kernel_name("run" + n)), session_scheduled("waits" + n, "a1")});
    given.and_given({kernel_terminated(kernel_name("waits" + n))});
  }
  EXPECT_EQ(estimates.calibration()[0].made, 3u);
  EXPECT_EQ(estimates.calibration()[0].met, 1u);
  EXPECT_EQ(estimates.calibration()[1].met, 2u);
}

TEST_F(Estimates, KeepTheNewestRunsOfEachKindAlone) {
  for (std::size_t i = 0; i < StartEstimates::kRunsOfKind; ++i) runs("old" + std::to_string(i), 10 * kSecond);
  for (std::size_t i = 0; i < StartEstimates::kRunsOfKind; ++i)
    runs("new" + std::to_string(i), 100 * kSecond);
  given.and_given(running("long", "a1", Spec().cpu(2)));
  given.and_given({session_requested("waits", Spec().cpu(2))});
  EXPECT_NEAR(static_cast<double>(seconds(expect("waits").p50, given.journal().time())), 100, 1);
}

}  // namespace
}  // namespace berth::controller
