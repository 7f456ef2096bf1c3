#include "events/base/service/last_words.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace berth {
namespace {

template <class Thrown> void end_by(const Thrown& thrown) {
  say_last_words("berth-test");
  std::thread([&thrown] { throw thrown; }).join();
}

TEST(LastWordsDeathTest, NoMemoryAndNoThreadEndInWordsAndAnythingElseAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_by(std::bad_alloc()), ::testing::ExitedWithCode(1),
              "berth-test: resources-short: there is no memory left");
  EXPECT_EXIT(end_by(std::system_error(EAGAIN, std::generic_category())), ::testing::ExitedWithCode(1),
              "berth-test: resources-short: no thread or descriptor is to be had .Resource temporarily");
  EXPECT_DEATH(end_by(std::runtime_error("a bug")), "nobody expected: a bug");
}

}  // namespace
}  // namespace berth
