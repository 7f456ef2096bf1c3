// A few seeds of the simulator as a test, so that sanitizers see it too; the sweep is berth-sim's.
#include <gtest/gtest.h>

#include "tests/simulation/world.h"
#include "tests/support/rounds.h"

namespace berth::simulation {
namespace {

using berth::testing::rounds;

void expect_to_hold(Profile profile, std::uint64_t seeds, std::uint64_t step = 1) {
  for (std::uint64_t seed = 1; seed <= seeds * step; seed += step) {
    WorldOptions options;
    options.seed = seed;
    options.profile = profile;
    const auto report = run_world(options);
    for (const auto& failure : report.failures) ADD_FAILURE() << "seed " << seed << ": " << failure;
    EXPECT_GT(report.sessions, 0u) << "seed " << seed << " asked for nothing";
  }
}

TEST(Simulation, HoldsOnTwentyFourSeedsUnderCrashesLossesAndTruncations) {
  expect_to_hold(Profile::kPlain, 24);
}

TEST(Simulation, HoldsOnEightHostileSeeds) { expect_to_hold(Profile::kHostile, 8); }

TEST(Simulation, HoldsOnAStrangeSeedOfEachKind) {
  expect_to_hold(Profile::kStrange, 8, 8);  // strangeness.h: the kind is in bits 3 to 5
}

// Each placement of the log, run again on its inputs (ADR 0095); the sweep over 200 seeds is berth-sim's.
void expect_decisions_to_come_out_again(Profile profile, std::uint64_t seeds) {
  std::uint64_t decisions = 0, unknown = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    WorldOptions options;
    options.seed = seed;
    options.profile = profile;
    options.every_policy = options.decisions = true;
    const auto report = run_world(options);
    for (const auto& failure : report.failures) ADD_FAILURE() << "seed " << seed << ": " << failure;
    decisions += report.decisions.placed + report.decisions.held;
    unknown += report.decisions.unknown;
  }
  EXPECT_GT(decisions, seeds * 10);
  EXPECT_EQ(unknown, 0u);
}

TEST(Decisions, EachPlacementOfTwentySeedsComesOutAsRecorded) {
  expect_decisions_to_come_out_again(Profile::kPlain, rounds(20));
}

TEST(Decisions, EachPlacementOfTwelveHostileSeedsComesOutAsRecorded) {
  expect_decisions_to_come_out_again(Profile::kHostile, rounds(12));
}

TEST(Simulation, TheSameSeedIsTheSameRun) {
  WorldOptions options;
  options.seed = 42;
  const auto first = run_world(options), second = run_world(options);
  EXPECT_EQ(first.records, second.records);
  EXPECT_EQ(first.voids, second.voids);
  EXPECT_EQ(first.elections, second.elections);
  EXPECT_EQ(first.virtual_seconds, second.virtual_seconds);
}

}  // namespace
}  // namespace berth::simulation
