// Makes a golden journal: make_golden PATH.bin PATH.txt. For a new version of the schema only: the old ones
// stay as they are.
#include <fstream>
#include <iostream>

#include "tests/golden/golden_journal.h"
#include "tests/support/random_cluster.h"

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
  write_golden_journal(argv[1], journal.payloads());
  std::ofstream(argv[2]) << describe_fold(journal.payloads());
  return 0;
}
