// A folder's files between agent and API server, as both sides name it (agents/services/file_route.h says
// what each operation does). Pure.
//
// A question is "POST /volumes/VOLUME/folders/FOLDER/files/OPERATION?q=QUESTION": ids as 32 hex digits,
// QUESTION a v1::FileQuestion in hex. The answer is 200 and
//   list, stat, upload-begin, -status, -chunk, -finish   a v1::FileAnswer as the body
//   mkdir, rename, remove, upload-abort                  an empty body
//   read                                                 the bytes as the body; header kFileEntryHeader: the
//                                                        v1::FileEntry of the file, in hex
// A refusal is its status, the one that HTTP clients are to be told as well, and a v1::ServiceError as the
// body. Only upload-chunk has a body in the question: the chunk, exactly `bytes` of it, then its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/base/uuid.h"
#include "events/schema/v1/service.pb.h"

namespace berth {

enum class FileOperation : std::uint8_t {
  kList,
  kStat,
  kRead,
  kMakeFolder,
  kRename,
  kRemove,
  kUploadBegin,
  kUploadStatus,
  kUploadChunk,
  kUploadFinish,
  kUploadAbort,
};

inline constexpr std::uint64_t kUploadChunkBytesMax = 8u << 20;
inline constexpr std::uint64_t kUploadBytesMax = std::uint64_t{1} << 40;  // of a whole file
inline constexpr std::uint32_t kFileListPageMax = 1000;                   // entries
inline constexpr std::size_t kFilePathBytesMax = 4096;
inline constexpr std::size_t kFileNameBytesMax = 255;
inline constexpr char kFileEntryHeader[] = "berth-file";

struct FileServicePath {
  VolumeId volume;
  FolderId folder;
  FileOperation operation = FileOperation::kList;
  v1::FileQuestion question;
};

// "/volumes/..." with its query, for tunnel::Question::path.
std::string to_path(const FileServicePath& what);
// nullopt: it is no such path, or its operation is not known here, or its question does not parse.
std::optional<FileServicePath> file_service_path_in(std::string_view path);

// A relative path inside a folder: parts split by '/', none empty, "." or "..", at most kFileNameBytesMax
// each, no NUL, UTF-8. Empty: the folder itself. What is wrong with it, in words for people; nullopt:
// nothing.
std::optional<std::string> problem_of_file_path(std::string_view path);

}  // namespace berth
