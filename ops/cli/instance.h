// Instance: the one `berth up` of a data folder. Its lock file names the process and its options.
#pragma once

#include <string>

#include "events/base/result.h"
#include "ops/cli/up.h"

namespace berth {

struct Running {
  int pid = 0;
  std::string endpoint;  // may be empty while the process starts
  UpOptions options;
};

class Instance {
 public:
  ~Instance();
  // Takes the folder. False: another process has the folder. `running` names that process, else the last one.
  Result<bool> take(const std::string& data, Running& running);
  // Writes the lock file, which other processes read while this one holds the folder.
  Result<void> write(const Running& running);

 private:
  int fd_ = -1;
  std::string path_;
};

// Refuses a folder that was copied from `original` (what Running::options.data says of it) while a Berth of
// the same cluster runs there. Code: data-folder.
Result<void> check_original(const std::string& data, const std::string& original);

// "  port is '7411', asked for '7410'", a line each; empty if the options are the same.
std::string differences(const UpOptions& running, const UpOptions& asked);

}  // namespace berth
