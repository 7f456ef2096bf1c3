// A backend without an agent, for start and life: opens it, runs kernels whose program ends at once, several
// at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agents/kernel/backends.h"
#include "bench/tools.h"

namespace berth::bench {

class KernelRig {
 public:
  // Before any thread exists: it starts a launcher. `disk`: bytes that each kernel may write, 0: no bound.
  KernelRig(agents::BackendKind kind, const std::string& folder, Amount disk = 0);

  // OCI: unpacks `source`, "oci:DIR:TAG".
  void unpack(const std::string& source);
  // OCI: so many folders of a volume.
  std::vector<agents::FolderMount> make_folders(std::uint64_t count);
  const std::string& rootfs() const { return rootfs_; }
  agents::KernelSpec make_spec(std::vector<std::string> command);

  // Lives of `program`, `parallel` at a time: ordered, run, ended, forgotten. Seconds.
  double run_lives(const std::vector<std::string>& program, std::uint64_t count, std::uint64_t parallel);
  // One kernel: its output; `ordered` is CLOCK_REALTIME in ns when it was ordered.
  std::string run_one(const std::vector<std::string>& program, std::int64_t& ordered,
                      std::vector<agents::FolderMount> mounts = {});

 private:
  agents::KernelKey wait_ended();

  std::string folder_;
  std::unique_ptr<agents::KernelBackend> backend_;
  std::string rootfs_;
  std::uint64_t started_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<agents::KernelEvent> ended_;
};

// Wall clock, ns since 1970.
std::int64_t wall_ns();

// `source` of the image python:3.11: below `images`, or where ops/images/build puts it for this build.
std::string image_source(const std::string& images);

}  // namespace berth::bench
