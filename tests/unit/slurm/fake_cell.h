// A cell of a few agents and sessions behind a FakeWorld, and transcripts of what is typed against it.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/cli/fake_world.h"

namespace berth::cli::slurm {

// Job 1001 runs, 1002 and 1003 wait, ...: see fake_cell.cc. 1050 is bob's, whose sessions nobody else ends.
void serve_cell(FakeWorld& world);

// What "$ squeue -h" prints: stdout, then lines "! TEXT" of stderr, "> REQUEST" of each write, and "exit N"
// where it is not 0.
std::string transcript_of(const std::string& command);

// The commands of a transcript ("$ squeue -h" and so on), each with what stands below it.
struct Entry {
  std::string command, output;
};
std::vector<Entry> read_transcript(const std::string& path);

}  // namespace berth::cli::slurm
