// UploadChunk: a chunk on its way into an upload. Its bytes are written as they come, and are the upload's
// once all of them have come and are compared with their SHA-256. One that is given up leaves the upload as
// it was: the next chunk is written over it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agents/volumes/beneath.h"
#include "agents/volumes/upload_hashes.h"
#include "events/base/result.h"
#include "events/schema/v1/service.pb.h"

namespace berth::agents {

// Where an upload's verified bytes end, in a file of its own: the part may be longer, by a chunk that did not
// come whole. Survives the agent; after a loss of power it is taken for no more than the part has.
// Its content: 20 digits and the end of a line.
std::uint64_t read_upload_offset(int file);  // 0 of anything else
bool write_upload_offset(int file, std::uint64_t offset);

// One thread at a time; blocks on the disk.
class UploadChunk {
 public:
  // `part`: the upload's, locked; `held`: the same, opened once more, of the first chunk; `offset_file`:
  // open for writing; `question`: of upload-chunk.
  UploadChunk(Descriptor part, Descriptor held, Descriptor offset_file, const v1::FileQuestion& question);

  // The hash of the whole file goes on with this chunk, if `whole` is of all bytes before it. Before the
  // first add(). Codes: checksum-unknown (it is not, and the chunk's own SHA-256 was not said).
  Result<void> go_on(HashSoFar whole);
  // The next bytes. Codes: bad-request (more than the chunk has), volume-full, volume-failed: the chunk is
  // over.
  Result<void> add(std::string_view bytes);
  // Where the upload goes on. Codes: bad-request (fewer), checksum-differs, volume-full, volume-failed.
  Result<std::uint64_t> end();
  // Of what the upload has now. Once.
  HashSoFar whole() { return std::move(ended_ ? whole_ : before_); }

 private:
  Error failed();

  Descriptor part_, held_, offset_file_;
  const std::uint64_t offset_, bytes_;
  const std::string sha256_;  // of the chunk...
  const bool so_far_;         // ...or of the file up to its end
  std::uint64_t came_ = 0;
  Sha256 hash_;               // of what came; not of one of so_far_
  HashSoFar before_, whole_;  // of the file: without the chunk, with what came of it
  bool ended_ = false;
};

}  // namespace berth::agents
