#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

TEST(ReleaseQuarantine, ASubjectInQuarantineIsReleased) {
  given(world() + Events{internal_error_recorded("session s1")})
      .when(release_quarantine("session s1"))
      .then({quarantine_released("session s1")});
}

TEST(ReleaseQuarantine, ASubjectThatIsNotThereIsRefused) {
  given(world()).when(release_quarantine("session s1")).then_refused("unknown-subject");
}

TEST(ReleaseQuarantine, AskedAgainItIsRefused) {
  given(world() + Events{internal_error_recorded("session s1")})
      .when(release_quarantine("session s1"))
      .when(release_quarantine("session s1"))
      .then_refused("unknown-subject");
}

}  // namespace
}  // namespace berth::testing::decisions
