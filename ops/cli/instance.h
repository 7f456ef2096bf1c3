// Instance: the one `berth up` of a data folder. Its lock file says who has it and how it was started.
#pragma once

#include <string>

#include "events/base/result.h"
#include "ops/cli/up.h"

namespace berth {

struct Running {
  int pid = 0;
  std::string endpoint;  // may be empty while it starts
  UpOptions options;
};

class Instance {
 public:
  ~Instance();
  // Takes the folder. False: another process has it, `running` says which.
  Result<bool> take(const std::string& data, Running& running);
  // What others read while this holds it.
  Result<void> write(const Running& running);

 private:
  int fd_ = -1;
  std::string path_;
};

// "port 7411 (asked: 7410)", a line each; empty when the same was asked.
std::string differences(const UpOptions& running, const UpOptions& asked);

}  // namespace berth
