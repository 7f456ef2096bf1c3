// berth-bench replay: how fast a journal is folded, into memory and into RocksDB, and how fast a reader
// restarts.
#pragma once

#include <string>
#include <vector>

namespace berth::bench {

// Exit code. The last line of stdout is the report.
int run_replay(const std::vector<std::string>& args);

}  // namespace berth::bench
