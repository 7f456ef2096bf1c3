// UploadChunks: chunks of uploads on their way in. What has come of a chunk is written and hashed while more
// of it comes, so that no more of it than a window lies in memory, and little is left to do at its end.
//
// One chunk of an upload at a time. One that has waited for its asker for a while gives way to another: its
// asker has found it to be lost. As long as it comes the other is refused, so that of many at once one gets
// on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "agents/services/file_answers.h"
#include "agents/services/file_limits.h"
#include "agents/services/give_way.h"
#include "agents/services/places.h"
#include "agents/services/work_pool.h"
#include "agents/volumes/upload_hashes.h"
#include "agents/volumes/volumes.h"
#include "events/codec/file_service.h"

namespace berth::agents {

// Thread-safe. Its handlers hold it; `volumes` is used within tasks of the pool only.
class UploadChunks : public std::enable_shared_from_this<UploadChunks> {
 public:
  UploadChunks(Volumes& volumes, std::shared_ptr<WorkPool> pool, const FileLimits& limits)
      : volumes_(volumes), pool_(std::move(pool)), limits_(limits), waiting_(limits.patience) {}

  // Answers the question of `what`, which is upload-chunk. `place` is held until then.
  void take(FileServicePath what, const StreamHandle& stream, std::shared_ptr<void> place);
  // The one that has waited longest for its asker gives way. False: none has waited for so long.
  bool make_room() { return waiting_.make_room(); }
  // Of an upload that is aborted: the chunk that is coming for it gives way, and its hash is forgotten.
  void forget(const FileServicePath& what);
  // The hash of what an upload has, as far as it is known; for who holds the upload's lock, and once.
  HashSoFar take_hash(const FileServicePath& what) { return hashes_.take(key_of(what)); }

 private:
  struct Coming;
  using ComingHandle = std::shared_ptr<Coming>;

  static std::string key_of(const FileServicePath& what);
  std::shared_ptr<void> place_for_one();
  void begin(const ComingHandle& coming);
  void read_on(const ComingHandle& coming);
  void take_piece(const ComingHandle& coming, Result<std::string> piece);
  void write_on(const ComingHandle& coming);
  void end(const ComingHandle& coming);
  void drop(const ComingHandle& coming);
  void give_up(const ComingHandle& coming, const Error& error, std::uint64_t offset = 0);
  ComingHandle under_way(const FileServicePath& what);
  bool is_lost(const ComingHandle& coming) const;

  Volumes& volumes_;
  const std::shared_ptr<WorkPool> pool_;
  const FileLimits limits_;
  const Places places_{limits_.chunks_max};
  GiveWay waiting_;
  UploadHashes hashes_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Coming>> under_way_;  // guarded; by upload
};

}  // namespace berth::agents
