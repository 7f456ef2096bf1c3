// Topics that are changed while a controller runs.
#include "controller/runtime/log/settings_watch.h"

#include <gtest/gtest.h>

#include <future>

namespace berth::controller {
namespace {

using std::chrono::milliseconds;

// Gives one result after the other, and tells when the last of them was given.
class Looks {
 public:
  explicit Looks(std::vector<Result<void>> results) : results_(std::move(results)) {}
  SettingsWatch::Look look() {
    return [this] {
      const std::lock_guard lock(mutex_);
      if (given_ == results_.size()) {
        if (!std::exchange(told_, true)) all_.set_value();
        return results_.back();
      }
      return results_[given_++];
    };
  }
  bool all_given() {
    return all_.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  }

 private:
  std::mutex mutex_;
  std::vector<Result<void>> results_;
  std::size_t given_ = 0;
  bool told_ = false;
  std::promise<void> all_;
};

const Result<void> kUnsafe = make_error("log-settings-unsafe", "retention.ms=1000");
const Result<void> kAway = make_error("log-unavailable", "no broker answers");

std::optional<Error> found_after(std::vector<Result<void>> results) {
  Looks looks(std::move(results));
  SettingsWatch watch(looks.look(), milliseconds(1));
  EXPECT_FALSE(watch.unsafe()) << "nobody has looked";
  watch.start();
  EXPECT_TRUE(looks.all_given());
  watch.stop();
  return watch.unsafe();
}

TEST(SettingsWatch, AnUnsafeTopicIsSaidUntilItIsSafe) {
  const auto unsafe = found_after({{}, kUnsafe});
  ASSERT_TRUE(unsafe);
  EXPECT_EQ(unsafe->message, "retention.ms=1000");
  EXPECT_FALSE(found_after({kUnsafe, {}}));
}

TEST(SettingsWatch, ABrokerThatIsAwayChangesNothing) {
  EXPECT_TRUE(found_after({kUnsafe, kAway}));
  EXPECT_FALSE(found_after({{}, kAway}));
}

TEST(SettingsWatch, EndsAtOnceAlthoughItsTimeHasNotCome) {
  Looks looks({kUnsafe});
  SettingsWatch watch(looks.look());
  watch.start();
  const auto before = std::chrono::steady_clock::now();
  watch.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(30));
  EXPECT_FALSE(watch.unsafe());
}

}  // namespace
}  // namespace berth::controller
