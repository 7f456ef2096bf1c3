#include "events/base/files/descriptor_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace berth {
namespace {

TEST(DescriptorLimit, IsRaisedToTheHardOne) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit low{64, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  const auto [before, now] = raise_descriptor_limit();
  EXPECT_EQ(before, 64u);
  EXPECT_EQ(now, limit.rlim_max);
  rlimit after{};
  getrlimit(RLIMIT_NOFILE, &after);
  EXPECT_EQ(after.rlim_cur, limit.rlim_max);
}

}  // namespace
}  // namespace berth
