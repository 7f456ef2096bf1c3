// The folder of an embedded log that is not open any more.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "events/base/system_clock.h"
#include "events/log/local/local_log.h"

namespace berth::testing {

inline void write_local_log(const std::string& dir, const std::vector<std::string>& payloads) {
  SystemClock clock;
  LocalLogOptions options;
  options.dir = dir;
  options.clock = &clock;
  const auto log = open_local_log(options);
  ASSERT_TRUE(log.ok()) << to_string(log.error());
  for (const std::string& payload : payloads) (*log)->append({Stream::kJournal, 0}, "", payload, {});
}

// The rows alone become those of a shorter journal: the end mark beside them stays.
inline void lose_tail(const std::string& dir, const std::vector<std::string>& left) {
  write_local_log(dir + ".shorter", left);
  std::filesystem::remove_all(dir + "/rows");
  std::filesystem::rename(dir + ".shorter/rows", dir + "/rows");
  std::filesystem::remove_all(dir + ".shorter");
}

}  // namespace berth::testing
