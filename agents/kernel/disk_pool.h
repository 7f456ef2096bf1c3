// DiskPool: file systems of a fixed size, one a kernel, for what it writes: a kernel that fills its own fills
// no other's. Spares of each size that is asked for are made and mounted beforehand, so that a start waits
// for none.
//
//   FOLDER/template/    what a new file system begins with: `upper` and `work`, of root inside
//   FOLDER/spare-N.img  made beforehand, with holes
//   FOLDER/KEY.img      a kernel's, all of its blocks taken from the machine's disk
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "events/base/files/descriptor.h"
#include "events/base/result.h"

namespace berth::agents {

struct DiskPoolConfig {
  std::string folder;       // absolute; made if missing
  std::int64_t bytes = 0;   // of those to make before the first is asked for; 0: none
  std::uint32_t owner = 0;  // of `upper` and `work`
  std::size_t spares = 4;   // kept ready of a size
};

struct KernelDisk {
  std::string file;
  Descriptor mount;  // at no place yet (shim/disk.h); none: it could not be mounted beforehand
};

// take(): one thread at a time. A thread of its own makes spares.
class DiskPool {
 public:
  // Codes: disk-bound-too-small, tool-missing (mke2fs), data-folder.
  static Result<std::unique_ptr<DiskPool>> open(DiskPoolConfig config);
  ~DiskPool();

  // A file system of that size for this kernel; waits for one to be made if no spare is there. Codes:
  // open()'s, and disk-full (the machine's disk cannot keep that many bytes for another kernel).
  Result<KernelDisk> take(const std::string& key, std::int64_t bytes);

  // Bytes that kernels may have together, those that have some already counted in; the machine's disk keeps a
  // tenth for images, logs and whatever else lies there. The first time it makes a small file system to see
  // whether it can. Codes: open()'s, disk-full, and disk-not-kept (the file system keeps no blocks for a
  // file). Any thread.
  Result<std::int64_t> capacity();

 private:
  struct Size {
    std::vector<KernelDisk> spares;
    std::uint64_t taken = 0;  // the last time, counted in takes
  };

  explicit DiskPool(DiskPoolConfig config) : config_(std::move(config)) {}
  Result<void> prepare();
  Result<void> probe();
  Result<KernelDisk> make_spare(std::int64_t bytes);
  void keep_spares();
  std::int64_t size_without_spares() const;
  void forget_oldest_size();

  DiskPoolConfig config_;
  std::mutex mutex_;  // guards the rest but `closing_`, which changes under it
  std::condition_variable changed_;
  std::map<std::int64_t, Size> sizes_;  // by bytes
  std::uint64_t takes_ = 0;
  std::uint64_t next_ = 0;
  std::atomic<bool> closing_ = false;
  std::atomic<bool> probed_ = false;
  std::thread maker_;
};

}  // namespace berth::agents
