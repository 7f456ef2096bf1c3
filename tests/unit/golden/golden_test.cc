#include <gtest/gtest.h>

#include "tests/golden/golden_journal.h"

namespace berth::testing {
namespace {

// The same bytes fold to the same state on every build and every compiler, for ever (P14, P15).
TEST(GoldenJournal, FoldsToTheStateThatItAlwaysFoldedTo) {
  for (const std::string journal : kGoldenJournals) {
    const auto payloads = read_golden_journal(journal + ".bin");
    ASSERT_FALSE(payloads.empty()) << journal;
    EXPECT_EQ(describe_fold(payloads), read_file(journal + ".txt")) << journal;
  }
}

}  // namespace
}  // namespace berth::testing
