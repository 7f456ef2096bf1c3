// DiskPool: file systems of a fixed size, one a kernel, for what it writes: a kernel that fills its own fills
// no other's.
//
//   FOLDER/template/    what a new file system begins with: `upper` and `work`, of root inside
//   FOLDER/spare-N.img  made beforehand, with holes
//   FOLDER/KEY.img      a kernel's, all of its blocks taken from the machine's disk
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "events/base/result.h"

namespace berth::agents {

struct DiskPoolConfig {
  std::string folder;       // absolute; made if missing
  std::int64_t bytes = 0;   // of each
  std::uint32_t owner = 0;  // of `upper` and `work`
  std::size_t spares = 4;   // kept ready
};

// take(): one thread at a time. A thread of its own makes spares.
class DiskPool {
 public:
  // Codes: disk-bound-too-small, tool-missing (mke2fs), data-folder.
  static Result<std::unique_ptr<DiskPool>> open(DiskPoolConfig config);
  ~DiskPool();

  // The path of a file system for this kernel; waits for one to be made if no spare is there. Code: disk-full
  // (the machine's disk cannot keep that many bytes for another kernel).
  Result<std::string> take(const std::string& key);

 private:
  explicit DiskPool(DiskPoolConfig config) : config_(std::move(config)) {}
  Result<void> prepare();
  Result<std::string> make_spare();
  void keep_spares();

  DiskPoolConfig config_;
  std::mutex mutex_;  // guards the rest
  std::condition_variable changed_;
  std::vector<std::string> ready_;
  std::uint64_t next_ = 0;
  bool closing_ = false;
  std::thread maker_;
};

}  // namespace berth::agents
