// FolderFiles: looks at the files of a folder and changes them, as their owner would from a kernel, while
// kernels may change them too.
//
// Nothing but a regular file is ever opened to be read, so that no FIFO, device or socket that a kernel left
// can hold up the agent. Paths: events/codec/file_service.h. Calls block on the disk; any thread.
#pragma once

#include <sys/stat.h>
#include <cstdint>

#include <string>

#include "agents/volumes/volumes.h"
#include "events/schema/v1/service.pb.h"

namespace berth::agents {

inline constexpr std::size_t kFilesListedMax = 1'000'000;  // entries of a folder that is to be listed

// What a name in the folder stands for, of fstat().
v1::FileEntry entry_of(const std::string& name, const struct stat& info);

struct OpenFile {
  Descriptor file;  // to be read
  v1::FileEntry entry;
};

class FolderFiles {
 public:
  // Both outlive this.
  FolderFiles(Volumes& volumes, const OpenFolder& folder) : volumes_(volumes), folder_(folder) {}

  // Codes of all: path-invalid, unknown-path, not-a-folder, volume-failed.

  // The entries behind `after`, at most `limit` (0: kFileListPageMax). Also: too-many-files.
  Result<v1::FileAnswer> list(const std::string& path, const std::string& after, std::uint32_t limit) const;
  Result<v1::FileEntry> stat(const std::string& path) const;
  // Also: not-a-file, file-busy.
  Result<OpenFile> open(const std::string& path) const;
  // Also: path-exists, volume-full.
  Result<void> make_folder(const std::string& path);
  // Also: path-exists, volume-full.
  Result<void> rename(const std::string& path, const std::string& to);
  // Also: folder-not-empty.
  Result<void> remove(const std::string& path, bool recursive);

 private:
  Volumes& volumes_;
  const OpenFolder& folder_;
};

}  // namespace berth::agents
