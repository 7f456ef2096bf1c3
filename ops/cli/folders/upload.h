// Upload: one file of this machine goes into a folder, in chunks. After a cut it goes on from what the server
// has; nothing is seen of the file until it is whole there.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <string>

#include "events/base/files/sha256.h"
#include "ops/cli/folders/copy_progress.h"
#include "ops/cli/folders/folder_files.h"
#include "ops/cli/folders/patience.h"

namespace berth::cli {

class Upload {
 public:
  static constexpr std::uint64_t kChunkMax = 4 << 20;  // bytes; the server takes twice so many
  static constexpr std::uint64_t kChunkMin = 256
                                             << 10;  // a line that is cut again and again gets smaller ones

  // `file`: a regular file, open for reading, of `bytes` bytes; `name`: for people.
  Upload(Shell& shell, FolderFiles& files, CopyProgress& progress, int file, std::uint64_t bytes,
         std::string name);

  // `overwrite`: a file that is there is replaced. Failures: those of the API, read-failed, file-changed,
  // file-size-unknown, interrupted.
  Outcome<bool> run(const std::string& path, bool overwrite);

 private:
  Outcome<bool> run_once(const std::string& path, bool overwrite);
  // Of the whole file, as it was read for its chunks.
  Outcome<std::string> hash();
  void add_to_hash(std::uint64_t offset, std::string_view bytes);
  // A chunk of the file, with its SHA-256; `so_far`: with the file's up to its end.
  struct Chunk {
    std::string bytes;
    std::string hash;
    bool so_far = false;
  };
  // One at a time.
  Outcome<Chunk> chunk_at(std::uint64_t offset, std::uint64_t count);
  // The same on a thread of its own, while another chunk is on its way. None: there is no thread for it.
  std::future<Outcome<Chunk>> fetch(std::uint64_t offset);
  Outcome<std::string> read_at(std::uint64_t offset, std::uint64_t count) const;
  Outcome<ApiReply> ask(const std::function<Outcome<ApiReply>()>& call);
  Outcome<bool> send_chunks(std::uint64_t offset);
  Outcome<bool> finish(const std::string& sha256);
  bool goes_on_behind_its_end() const;
  Outcome<std::uint64_t> offset_of(const Outcome<ApiReply>& reply) const;
  void give_up(const Failure& why);

  Api& api_;
  FolderFiles& files_;
  CopyProgress& progress_;
  Patience patience_;
  const int file_;
  const std::uint64_t bytes_;
  const std::string name_;
  std::uint64_t chunk_ = kChunkMax;
  bool so_far_ = true;        // the server knows the hash of what it has
  Sha256 whole_;              // of the first...
  std::uint64_t hashed_ = 0;  // ...bytes
  std::string sha256_;        // once they are all
  std::string target_;        // of the upload that is under way
};

}  // namespace berth::cli
