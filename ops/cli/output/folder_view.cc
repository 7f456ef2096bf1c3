#include "ops/cli/output/folder_view.h"

#include "ops/cli/output/json_text.h"
#include "ops/cli/output/size_text.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

std::string names_at(const json::value& item, const char* key, const char* name) {
  std::string text;
  for (const auto& one : array_at(item, key))
    text += (text.empty() ? "" : ", ") + (one.is_object() ? text_at(one, name) : scalar_text(one));
  return text;
}

std::string bytes_text(const json::value& file) {
  if (text_at(file, "type") != "file") return {};
  const std::int64_t bytes = integer_at(file, "bytes");
  return bytes < 0 ? std::string() : size_text(static_cast<std::uint64_t>(bytes));
}

}  // namespace

std::string shares_text(const json::value& item) {
  std::string text;
  for (const auto& share : array_at(item, "shares")) {
    const std::string user = text_at(share, "user"), access = text_at(share, "access");
    text += (text.empty() ? "" : ", ") + (user.empty() ? "project " + text_at(share, "project") : user) +
            (access.empty() ? "" : " (" + access + ")");
  }
  return text;
}

std::string owner_text(const json::value& folder) {
  const std::string user = text_at(folder, "owner.user");
  if (!user.empty()) return user;
  return "project " + text_at(folder, "owner.domain") + "/" + text_at(folder, "owner.project");
}

std::string mount_text(const json::value& mount) {
  return text_at(mount, "folder.name") + " at /home/work/" + text_at(mount, "target") +
         (true_at(mount, "read_only") ? ", read-only" : "");
}

std::string automatic_text(const json::value& session) {
  const std::string state = text_at(session, "automatic_folder");
  if (state == "mounted") return ".automatic at /home/work/.automatic";
  if (state == "not-on-this-agent")
    return ".automatic left out: its volume is not on every agent of the session";
  return state == "refused" ? ".automatic left out: not wanted" : "";
}

Listing folder_listing() {
  Listing listing;
  listing.columns = {
      column("NAME", "name"),
      {"OWNER",
       [](const json::value& folder) {
         return owner_text(folder) + (true_at(folder, "automatic") ? ", automatic" : "");
       },
       false, false, "owner"},
      column("VOLUME", "volume.name"),
      column("STATE", "state"),
      column("ACCESS", "access"),
      {"SHARED WITH", shares_text, false, false, "shares"},
      {"SESSIONS", [](const json::value& folder) { return names_at(folder, "sessions", "name"); }, false,
       false, "sessions"},
      time_column("KEPT UNTIL", "purge_at", true),
      column("MESSAGE", "message", true),
      time_column("CREATED", "created_at", true),
      column("ID", "id", true)};
  listing.least = {"SHARED WITH", "SESSIONS", "ACCESS", "VOLUME", "OWNER"};
  listing.fields = {"name",     "owner",    "volume.name", "state",      "access", "shares",
                    "sessions", "purge_at", "message",     "created_at", "id"};
  return listing;
}

Listing volume_listing() {
  Listing listing;
  listing.columns = {column("NAME", "name"),
                     column("AVAILABLE", "available"),
                     {"AGENTS", [](const json::value& volume) { return names_at(volume, "agents", "name"); },
                      false, false, "agents"},
                     column("ID", "id", true)};
  return listing;
}

Listing file_listing() {
  Listing listing;
  const auto name = [](const json::value& file) {
    return text_at(file, "name") + (text_at(file, "type") == "folder" ? "/" : "");
  };
  listing.columns = {{"NAME", name, false, false, "name"},
                     {"SIZE", bytes_text, false, true, "bytes"},
                     time_column("MODIFIED", "modified_at"),
                     column("TYPE", "type", true),
                     column("MODE", "mode", true)};
  listing.least = {"MODIFIED", "SIZE"};
  return listing;
}

}  // namespace berth::cli
