// Uploads: files that come into a folder in chunks, over any number of connections and lives of the agent.
//
//   STAGING/FOLDER.UPLOAD.part    the bytes so far. On their way to the disk, and there once the file has its
//                                 place (ops/adr/0081)
//   STAGING/FOLDER.UPLOAD.offset  how many of them are compared with the hash of their chunk
//   STAGING/FOLDER.UPLOAD.about   what was asked at the beginning (v1::FileQuestion), and the file's SHA-256
//   UPLOADED/FOLDER.UPLOAD.about  the same from when the file gets its place, so that a finish whose answer
//                                 got lost may be asked again; elsewhere, since each begin looks through
//                                 STAGING
// An upload is one that has an about. Its file has its place where that is in UPLOADED and there is no part;
// an about in STAGING without a part is none's.
// One question at a time writes an upload (its part is locked). Calls block on the disk; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "agents/volumes/upload_chunk.h"
#include "agents/volumes/upload_hashes.h"
#include "agents/volumes/volumes.h"
#include "events/schema/v1/service.pb.h"

namespace berth::agents {

inline constexpr std::size_t kUploadsOfFolderMax = 64;          // under way at once: then...
inline constexpr Duration kUploadGivesWayAfter = 15 * kMinute;  // ...one to which nothing came for so long

// An upload on its way to its place.
struct Finishing {
  std::string upload;
  v1::FileQuestion about;
  Descriptor part;           // locked; none: the file has its place already
  HashSoFar so_far;          // of the part's first bytes: the rest is read
  bool hash_is_new = false;  // it was said now, and not at the beginning
};

class Uploads {
 public:
  // fsync(), and whether it succeeded; tests have disks that fail.
  static bool reaches_disk(int file);
  // `folder` outlives this.
  explicit Uploads(const OpenFolder& folder, bool (*reaches)(int) = &reaches_disk)
      : folder_(folder), reaches_disk_(reaches) {}

  // Each names the upload in question.upload(); the results are its offset. Codes of all: bad-request,
  // unknown-upload (not of begin), upload-busy, volume-full, volume-failed.

  // Also: path-invalid, upload-too-large, path-exists, not-a-file (what is there, to be overwritten), codes
  // of the path above, upload-differs, too-many-uploads.
  Result<std::uint64_t> begin(const v1::FileQuestion& question);
  Result<std::uint64_t> status(const v1::FileQuestion& question) const;
  // A chunk that is to come, of question.bytes() bytes; nothing else writes the upload while it lives. Also:
  // upload-too-large, offset-differs (status() says the offset). The chunk is to go_on() with what is known.
  Result<UploadChunk> begin_chunk(const v1::FileQuestion& question) const;
  // The file's SHA-256 may be said at the begin or now. Also: offset-differs, checksum-missing,
  // checksum-differs (of the whole: begin anew), those of begin().
  Result<v1::FileEntry> finish(const v1::FileQuestion& question);
  // The same in turns, since all bytes of which no hash is known are read once more: begin_finish(),
  // read_on() until it says true, end_finish().
  Result<Finishing> begin_finish(const v1::FileQuestion& question) const;
  Result<bool> read_on(Finishing& finishing) const;
  Result<v1::FileEntry> end_finish(Finishing finishing);
  Result<void> abort(const v1::FileQuestion& question);

 private:
  struct Locked {
    v1::FileQuestion about;
    Descriptor part;  // locked; none: the file has its place already
  };
  Result<v1::FileQuestion> about_at(int folder, const std::string& upload) const;
  Result<v1::FileQuestion> about(const std::string& upload) const;
  Result<Locked> lock(const std::string& upload) const;
  Result<std::uint64_t> offset_of(const std::string& upload, const v1::FileQuestion& about) const;
  void keep_alive(const std::string& upload) const;
  Result<std::uint64_t> begun_as(const v1::FileQuestion& question) const;
  Result<std::uint64_t> begin_new(const v1::FileQuestion& question);
  Result<void> make_room(const v1::FileQuestion& question) const;
  Result<void> check_target(const v1::FileQuestion& question) const;
  Result<void> publish(Finishing& finishing);
  void keep_hash(const Finishing& finishing) const;
  void start_over(const Finishing& finishing) const;
  std::string name_of(const std::string& upload, const char* end) const;

  const OpenFolder& folder_;
  bool (*const reaches_disk_)(int);
};

// `root`: path of a volume. Those to which nothing came for so long.
void drop_old_uploads(const std::string& root, Duration kept);
// `at`: path of a volume's STAGING or UPLOADED.
void drop_uploads_of(const std::string& at, const FolderId& folder);

}  // namespace berth::agents
