// The files of folders on this agent's volumes: "POST /volumes/VOLUME/folders/FOLDER/files/OPERATION?q=...",
// as events/codec/file_service.h writes questions and answers.
//
//   list     entries of a folder, sorted by the bytes of their names
//   stat     one entry; a link is told of, not followed
//   read     bytes of a file from `offset` on, `length` of them or up to its end, as it was when it was
//   opened.
//            A stream that ends in a reset: the file was cut short meanwhile, could not be read, or gave way
//   mkdir    a folder; the one above it must be there
//   rename   of whatever `path` names to `to`, where nothing may be
//   remove   a file, a link, an empty folder; with `recursive` also a folder with all in it, which is out of
//            sight at once and removed bit by bit
//   upload-begin   a file that is to come, in chunks. With the id of an upload that is under way: its offset
//   upload-status  bytes that are there, from which the upload goes on, also after a crash of the agent
//   upload-chunk   bytes at `offset`, written when it is answered, and on their way to the disk
//   upload-finish  when all bytes are there: the file is compared with its hash, is on disk, and appears
//                  whole under its path
//   upload-abort   what came is removed; one that is not there is fine
// An upload to which nothing comes for a day is removed.
//
// Refusals: 400 bad-request; 404 unknown-service, unknown-volume, unknown-folder, unknown-path,
// unknown-upload; 409 path-exists, not-a-file, not-a-folder, folder-not-empty, too-many-files (to list),
// file-busy (a program holds a lease on it), upload-busy (another question writes it), upload-differs (begun
// before as another file), offset-differs, checksum-unknown (of what
// came before a chunk: send it with its own); 413 upload-too-large; 416 range-invalid (offset beyond the
// end); 422 path-invalid, checksum-differs, checksum-missing; 503 agent-busy; 507 volume-full; 500
// volume-failed.
#pragma once

#include <memory>

#include "agents/services/file_limits.h"
#include "agents/services/service_server.h"

namespace berth::agents {

class Volumes;

// Answers on threads of its own, so that a slow disk holds up neither the server's thread nor the agent's
// strand.
class FileService {
 public:
  // `volumes` outlives this.
  explicit FileService(Volumes& volumes, FileLimits limits = {});
  ~FileService();  // as stop()

  // For the server, which calls it as long as it serves.
  FolderRoute route();
  // Gives up all questions and waits for what is being done now. After the server's stop() and before its
  // end: the streams are let go here. Idempotent.
  void stop();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace berth::agents
