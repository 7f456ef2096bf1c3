// UploadHashes: the SHA-256 of what has come of uploads so far, so that the last question of an upload need
// not read the whole file once more. What is not known here, as after a start of the agent, is read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "agents/volumes/beneath.h"
#include "events/base/files/sha256.h"

namespace berth::agents {

// Of the first `bytes` bytes of an upload.
struct HashSoFar {
  Sha256 hash;
  std::uint64_t bytes = 0;
  // The part, open since before the first of them came. As long as somebody has it open the kernel remembers
  // that it could not write some of it, and the sync at the end says so; of a file that nobody has open it
  // may forget that, and the bytes.
  std::shared_ptr<const Descriptor> held;
};

// Thread-safe.
class UploadHashes {
 public:
  static constexpr std::size_t kMax = 256;  // uploads; the one that was kept first is forgotten

  // Keeps it until it is taken. Whoever has it holds the lock of the upload.
  void keep(const std::string& upload, HashSoFar so_far);
  // The hash, which is forgotten here; of nothing where none is known.
  HashSoFar take(const std::string& upload);
  void forget(const std::string& upload) { take(upload); }

 private:
  struct Kept {
    HashSoFar so_far;
    std::uint64_t turn = 0;
  };

  std::mutex mutex_;
  std::map<std::string, Kept> uploads_;  // guarded
  std::uint64_t turns_ = 0;              // guarded
};

}  // namespace berth::agents
