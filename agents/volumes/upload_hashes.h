// UploadHashes: the SHA-256 of what has come of uploads so far, so that the last question of an upload need
// not read the whole file once more. What is not known here, as after a start of the agent, is read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "events/base/files/sha256.h"

namespace berth::agents {

// Of the first `bytes` bytes of an upload.
struct HashSoFar {
  Sha256 hash;
  std::uint64_t bytes = 0;
};

// Thread-safe.
class UploadHashes {
 public:
  static constexpr std::size_t kMax =
      256;  // uploads; the one of which nothing was told for longest is forgotten

  // While it lives, the upload's other turns and take() wait for it.
  class Turn {
   public:
    // Bytes at `offset`. Where these are not the next ones, the upload's hash is forgotten.
    void add(std::uint64_t offset, std::string_view bytes);

   private:
    friend class UploadHashes;
    struct Kept;
    explicit Turn(std::shared_ptr<Kept> kept);
    std::shared_ptr<Kept> kept_;
    std::unique_lock<std::mutex> lock_;
  };

  Turn turn(const std::string& upload);
  // The hash, which is forgotten here; of nothing where none is known.
  HashSoFar take(const std::string& upload);
  void forget(const std::string& upload) { take(upload); }

 private:
  struct Place {
    std::shared_ptr<Turn::Kept> kept;
    std::uint64_t told = 0;  // when, in the order of turns
  };

  std::mutex mutex_;
  std::map<std::string, Place> uploads_;  // guarded
  std::uint64_t turns_ = 0;               // guarded
};

}  // namespace berth::agents
