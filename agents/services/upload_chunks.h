// UploadChunks: chunks of uploads on their way in. What has come of a chunk is written and hashed while more
// of it comes, so that no more of it than a window lies in memory, and little is left to do at its end.
//
// Another chunk for the same upload takes over: its asker has found the one before to be lost.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "agents/services/file_refusals.h"
#include "agents/services/give_way.h"
#include "agents/services/work_pool.h"
#include "agents/volumes/upload_hashes.h"
#include "agents/volumes/volumes.h"
#include "events/codec/file_service.h"

namespace berth::agents {

// Thread-safe. Its handlers hold it; `volumes` is used within tasks of the pool only.
class UploadChunks : public std::enable_shared_from_this<UploadChunks> {
 public:
  // At most `max` at once. Where there is no room, one that has waited for `patience` gives way.
  UploadChunks(Volumes& volumes, std::shared_ptr<WorkPool> pool, std::size_t max,
               std::chrono::seconds patience)
      : volumes_(volumes), pool_(std::move(pool)), max_(max), waiting_(patience) {}

  // Answers the question of `what`, which is upload-chunk. `place` is held until then.
  void take(FileServicePath what, const StreamHandle& stream, std::shared_ptr<void> place);
  // The one that has waited longest for its asker gives way. False: none has waited for so long.
  bool make_room() { return waiting_.make_room(); }
  // The chunk that is coming for the same upload gives way.
  void stop(const FileServicePath& what);
  // Of the files of which all chunks have come so far. By UploadChunks::key_of().
  UploadHashes& hashes() { return hashes_; }
  static std::string key_of(const FileServicePath& what);

 private:
  struct Coming;
  using ComingHandle = std::shared_ptr<Coming>;

  std::shared_ptr<void> place_for_one();
  void begin(const ComingHandle& coming);
  void read_on(const ComingHandle& coming);
  void take_piece(const ComingHandle& coming, Result<std::string> piece);
  void write_on(const ComingHandle& coming);
  void end(const ComingHandle& coming);
  void drop(const ComingHandle& coming);
  void give_up(const ComingHandle& coming, const Error& error, std::uint64_t offset = 0);
  ComingHandle replaced(const FileServicePath& what, const ComingHandle& by);

  Volumes& volumes_;
  const std::shared_ptr<WorkPool> pool_;
  const std::size_t max_;
  const std::shared_ptr<std::atomic<std::size_t>> taken_ = std::make_shared<std::atomic<std::size_t>>(0);
  GiveWay waiting_;
  UploadHashes hashes_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Coming>> newest_;  // guarded; of an upload
};

}  // namespace berth::agents
