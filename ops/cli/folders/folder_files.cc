#include "ops/cli/folders/folder_files.h"

#include <algorithm>

#include "ops/cli/folders/folder_choice.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {

namespace json = boost::json;

FolderFiles::FolderFiles(Api& api, const std::string& folder) : api_(api), target_(folder_target(folder)) {}

Outcome<FileList> FolderFiles::list(const std::string& path) {
  FileList all;
  for (std::string after;;) {
    const auto reply = having_list(
        api_.get(with_query(target("/files"), {{"path", path}, {"after", after}, {"limit", "1000"}})),
        "items");
    if (!reply) return reply.failure();
    for (const auto& item : array_at(reply->body, "items")) all.items.push_back(item);
    all.not_utf8 = std::max(all.not_utf8, integer_at(reply->body, "not_utf8"));
    const std::string next = text_at(reply->body, "next");
    if (next.empty() || next == after) return all;
    after = next;
  }
}

Outcome<FolderFiles::Kind> FolderFiles::kind(const std::string& path) {
  const auto reply = api_.get(with_query(target("/files"), {{"path", path}, {"limit", "1"}}));
  if (reply) return Kind::kFolder;
  if (reply.failure().code == "unknown-path") return Kind::kNothing;
  if (reply.failure().code == "not-a-folder") return Kind::kOther;
  return reply.failure();
}

Outcome<bool> FolderFiles::make_folder(const std::string& path) {
  return change({{"op", "mkdir"}, {"path", path}});
}

Outcome<bool> FolderFiles::rename(const std::string& path, const std::string& to) {
  return change({{"op", "rename"}, {"path", path}, {"to", to}});
}

Outcome<bool> FolderFiles::remove(const std::string& path, bool recursive) {
  json::object what{{"op", "remove"}, {"path", path}};
  if (recursive) what["recursive"] = true;
  return change(std::move(what));
}

Outcome<bool> FolderFiles::change(json::object what) {
  const auto reply = api_.post(target("/files"), what);
  if (!reply) return reply.failure();
  return true;
}

}  // namespace berth::cli
