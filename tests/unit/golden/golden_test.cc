#include <gtest/gtest.h>

#include "tests/golden/golden_journal.h"

namespace berth::testing {
namespace {

// The same bytes fold to the same state on every build and every compiler, for ever (P14, P15).
TEST(GoldenJournal, FoldsToTheStateThatItAlwaysFoldedTo) {
  const auto payloads = read_golden_journal(kGoldenJournal);
  ASSERT_FALSE(payloads.empty()) << kGoldenJournal;
  EXPECT_EQ(describe_fold(payloads), read_file(kGoldenResult));
}

}  // namespace
}  // namespace berth::testing
