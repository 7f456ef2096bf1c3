// Makes a golden journal: make_golden PATH.bin PATH.txt. For new rules or a new schema only: the old journals
// stay as they are.
#include <fstream>
#include <iostream>

#include "tests/golden/golden_journal.h"
#include "tests/support/limits.h"
#include "tests/support/random_cluster.h"

namespace berth::testing {
namespace {

// What rules 3 would have refused, and nothing of which is the net's business since: an amount that is no
// multiple of its quantum, a session over a limit, a name of no valid pattern, a victim that need not make
// room.
Events beyond_rules_3() {
  return {Limit("user", "carol").pending(0),
          session_requested("over-a-limit", Spec(), "carol"),
          session_requested("beside-the-quantum", Spec().shares(555'555), "dave"),
          session_requested("-no name-", Spec(), "dave"),
          session_requested("equal", Spec(), "dave"),
          agent_enrolled("a9"),
          agent_joined("a9", 1, 2 * kGiga),
          session_requested("stays", Spec(), "dave"),
          session_scheduled("stays", "a9"),
          session_preempted("stays", "equal")};
}

}  // namespace
}  // namespace berth::testing

int main(int argc, char** argv) {
  using namespace berth::testing;
  if (argc != 3) {
    std::cerr << "usage: make_golden PATH.bin PATH.txt\n";
    return 2;
  }
  constexpr std::uint64_t kSeed = 20'240'601;
  constexpr int kRecords = 260;
  RandomCluster cluster(kSeed);
  TestJournal journal;
  berth::projections::Projection projection(test_cluster(), berth::projections::Projection::Tracking::kRows);
  cluster.run(journal, projection, kRecords);
  for (const auto& event : beyond_rules_3()) {
    const auto outcome = projection.apply(projection.chain().next(), journal.append({event}));
    if (outcome.applied()) continue;
    std::cerr << "a record that must apply does not: " << outcome.text() << "\n";
    return 1;
  }
  write_golden_journal(argv[1], journal.payloads());
  std::ofstream(argv[2]) << describe_fold(journal.payloads());
  return 0;
}
