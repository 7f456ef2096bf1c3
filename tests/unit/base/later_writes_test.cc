#include "events/base/files/later_writes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <utility>
#include <vector>

namespace berth {
namespace {

TEST(LaterWrites, OneThatSucceedsIsWrittenOnceAndNotTold) {
  std::string told;
  LaterWrites writes([&](const std::string& text) { told = text; }, kMillisecond);
  int tries = 0;
  EXPECT_TRUE(writes.write("a", [&] {
    ++tries;
    return Result<void>();
  }));
  writes.stop();
  EXPECT_EQ(tries, 1);
  EXPECT_EQ(told, "");
}

TEST(LaterWrites, OneThatFailsIsToldOnceAndTriedUntilItIsWritten) {
  std::vector<std::string> told;
  LaterWrites writes([&](const std::string& text) { told.push_back(text); }, kMillisecond);
  std::atomic<int> tries{0};
  std::promise<void> written;
  EXPECT_FALSE(writes.write("/srv/a", [&] {
    if (++tries < 4) return Result<void>(make_error("disk-full", "no room"));
    written.set_value();  // a second call would throw
    return Result<void>();
  }));
  written.get_future().wait();
  std::promise<void> other;
  EXPECT_FALSE(writes.write("/srv/b", [&, failed = false]() mutable {
    if (!std::exchange(failed, true)) return Result<void>(make_error("disk-full", "no room"));
    other.set_value();
    return Result<void>();
  }));
  other.get_future().wait();
  writes.stop();
  EXPECT_EQ(tries, 4);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_NE(told[0].find("/srv/a"), std::string::npos) << told[0];
  EXPECT_NE(told[0].find("no room"), std::string::npos) << told[0];
}

TEST(LaterWrites, NothingIsWrittenOnceItHasStopped) {
  LaterWrites writes([](const std::string&) {}, 3600 * kSecond);
  std::atomic<int> tries{0};
  const auto fails = [&] {
    ++tries;
    return Result<void>(make_error("disk-full", "no room"));
  };
  EXPECT_FALSE(writes.write("a", fails));
  writes.stop();
  EXPECT_EQ(tries, 1);
}

}  // namespace
}  // namespace berth
