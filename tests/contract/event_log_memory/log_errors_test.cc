// A log's errors tell their caller what to do (events/log/log_errors.h). Their codes are fixed: scripts read
// them.
#include <gtest/gtest.h>

#include "events/log/log_errors.h"
#include "events/log/positions.h"

namespace berth {
namespace {

TEST(LogErrors, APositionThatIsNotInTheLogNeedsAnotherPositionNotAnotherTry) {
  const Error error = offset_out_of_range({Stream::kJournal, 0}, 7, {1, 5});
  EXPECT_EQ(error.code, "offset-out-of-range");
  EXPECT_TRUE(is_out_of_range(error));
  EXPECT_FALSE(may_retry(error));
}

TEST(LogErrors, ALogThatIsAwayAndADiskThatIsFullAreTriedAgain) {
  const Error away = make_error(kLogUnavailable, "no broker answers"),
              full = make_error(kDiskFull, "no space");
  EXPECT_EQ(away.code, "log-unavailable");
  EXPECT_EQ(full.code, "disk-full");
  EXPECT_TRUE(may_retry(away) && may_retry(full));
  EXPECT_TRUE(is_log_unavailable(away) && !is_log_unavailable(full));
  EXPECT_TRUE(is_disk_full(full) && !is_disk_full(away));
}

TEST(LogErrors, AnyOtherErrorIsFinal) {
  for (const Code code : {Code("log-corrupt"), Code("log-io-error"), Code("payload-too-large")})
    EXPECT_FALSE(may_retry(make_error(code, ""))) << code;
}

}  // namespace
}  // namespace berth
