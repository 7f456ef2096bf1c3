#include "events/codec/file_service.h"

#include <algorithm>
#include <array>
#include <utility>

#include "events/base/hash.h"
#include "events/base/hex.h"
#include "events/codec/utf8.h"

namespace berth {
namespace {

constexpr std::array<std::pair<FileOperation, std::string_view>, 11> kOperations{{
    {FileOperation::kList, "list"},
    {FileOperation::kStat, "stat"},
    {FileOperation::kRead, "read"},
    {FileOperation::kMakeFolder, "mkdir"},
    {FileOperation::kRename, "rename"},
    {FileOperation::kRemove, "remove"},
    {FileOperation::kUploadBegin, "upload-begin"},
    {FileOperation::kUploadStatus, "upload-status"},
    {FileOperation::kUploadChunk, "upload-chunk"},
    {FileOperation::kUploadFinish, "upload-finish"},
    {FileOperation::kUploadAbort, "upload-abort"},
}};

// Takes what stands up to `end` off the front; nullopt if there is no `end`.
std::optional<std::string_view> take(std::string_view& text, std::string_view end) {
  const auto at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return part;
}

std::optional<Uuid> id_in(std::string_view hex) {
  const auto bytes = from_hex(hex);
  if (!bytes || bytes->size() != 16) return std::nullopt;
  return Uuid::from_bytes(*bytes);
}

}  // namespace

std::string to_path(const FileServicePath& what) {
  const auto* const named = std::find_if(kOperations.begin(), kOperations.end(),
                                         [&](const auto& one) { return one.first == what.operation; });
  return "/volumes/" + to_hex(what.volume.view()) + "/folders/" + to_hex(what.folder.view()) + "/files/" +
         std::string(named->second) + "?q=" + to_hex(what.question.SerializeAsString());
}

std::optional<FileServicePath> file_service_path_in(std::string_view path) {
  if (const auto before = take(path, "/volumes/"); !before || !before->empty()) return std::nullopt;
  const auto volume = take(path, "/folders/");
  const auto folder = volume ? take(path, "/files/") : std::nullopt;
  const auto name = folder ? take(path, "?q=") : std::nullopt;
  if (!name) return std::nullopt;
  const auto volume_id = id_in(*volume), folder_id = id_in(*folder);
  const auto* const named = std::find_if(kOperations.begin(), kOperations.end(),
                                         [&](const auto& one) { return one.second == *name; });
  const auto question = from_hex(path);
  if (!volume_id || !folder_id || named == kOperations.end() || !question) return std::nullopt;
  FileServicePath what{VolumeId(*volume_id), FolderId(*folder_id), named->first, {}};
  if (!what.question.ParseFromString(*question)) return std::nullopt;
  return what;
}

std::optional<std::string> problem_of_file_path(std::string_view path) {
  if (path.size() > kFilePathBytesMax)
    return "it has more than " + std::to_string(kFilePathBytesMax) + " bytes";
  if (path.find('\0') != std::string_view::npos) return "it holds a NUL byte";
  if (!is_utf8(path)) return "it is no UTF-8";
  while (!path.empty()) {
    const auto slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty()) return "it is not relative, or has an empty part";
    if (part == "." || part == "..") return "'.' and '..' are no parts of it";
    if (part.size() > kFileNameBytesMax)
      return "a part of it has more than " + std::to_string(kFileNameBytesMax) + " bytes";
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
    if (path.empty()) return "it ends with '/'";
  }
  return std::nullopt;
}

}  // namespace berth
