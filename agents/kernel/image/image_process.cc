#include "agents/kernel/image/image_process.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <string_view>

#include "agents/kernel/shim/system.h"
#include "events/base/files/descriptor.h"

namespace berth::agents {
namespace json = boost::json;
namespace {

constexpr std::size_t kFileMax = 1 << 20;  // bytes that are read of a file of the image

using Line = std::vector<std::string>;  // its fields

// What stands in a file of the image; empty if there is none that may be read.
std::string read_inside(const std::string& rootfs, const char* path) {
  const Descriptor root(open(rootfs.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const Descriptor file(static_cast<int>(syscall(SYS_openat2, root.get(), path, &how, sizeof how)));
  struct stat info {};
  // Looked at before it is opened: opening a device or a FIFO does something.
  if (!file || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return "";
  return shim::read_file("/proc/self/fd/" + std::to_string(file.get()), kFileMax).value_or("");
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(at, from), text.size());
    parts.emplace_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

// The lines that have at least so many fields.
std::vector<Line> lines_of(const std::string& text, std::size_t fields) {
  std::vector<Line> lines;
  for (const std::string& line : split(text, '\n'))
    if (Line parts = split(line, ':'); parts.size() >= fields && !parts[0].empty())
      lines.push_back(std::move(parts));
  return lines;
}

std::optional<std::uint32_t> number_in(const std::string& text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

// The line of this name, or else of this number, which is the third field in both files.
const Line* find_line(const std::vector<Line>& lines, const std::string& what) {
  const auto named =
      std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line[0] == what; });
  if (named != lines.end()) return &*named;
  const auto number = number_in(what);
  const auto numbered = std::find_if(
      lines.begin(), lines.end(), [&](const Line& line) { return number && number_in(line[2]) == number; });
  return numbered == lines.end() ? nullptr : &*numbered;
}

Error no_such(const char* what, const std::string& name, const std::string& file) {
  return make_error("image-user-unknown",
                    std::string("the image runs as the ") + what + " '" + name.substr(0, 64) +
                        "', which its " + file + " lacks",
                    "its maker has to add it, or name it by its number");
}

// Sets user, groups and home for USER[:GROUP], each a name or a number.
Result<void> set_user(const std::string& user_and_group, const std::string& rootfs, ImageProcess& process) {
  const std::size_t colon = user_and_group.find(':');
  std::string user = user_and_group.substr(0, colon);
  const std::string group = colon == std::string::npos ? "" : user_and_group.substr(colon + 1);
  if (user.empty()) user = "0";
  const auto users = lines_of(read_inside(rootfs, "etc/passwd"), 6),
             groups = lines_of(read_inside(rootfs, "etc/group"), 3);
  const Line* const found = find_line(users, user);
  const auto uid = number_in(found != nullptr ? (*found)[2] : user);
  if (!uid) return no_such("user", user, "/etc/passwd");
  process.uid = *uid;
  if (found != nullptr) {
    process.gid = number_in((*found)[3]).value_or(0);
    if ((*found)[5].starts_with('/')) process.home = (*found)[5];
  }
  if (!group.empty()) {
    const Line* const own = find_line(groups, group);
    const auto gid = number_in(own != nullptr ? (*own)[2] : group);
    if (!gid) return no_such("group", group, "/etc/group");
    process.gid = *gid;
    return {};
  }
  for (const Line& line : groups) {
    if (found == nullptr || line.size() < 4) continue;
    const auto members = split(line[3], ',');
    const auto gid = number_in(line[2]);
    if (gid && gid != process.gid && std::find(members.begin(), members.end(), (*found)[0]) != members.end())
      process.groups.push_back(*gid);
  }
  return {};
}

// The JSON in the blob of this digest, which skopeo has checked; null if there is none.
json::value blob(const std::string& layout, const json::value* digest) {
  if (digest == nullptr || !digest->is_string()) return nullptr;
  const std::string text(digest->as_string());
  if (!text.starts_with("sha256:") || text.find_first_not_of("0123456789abcdef", 7) != std::string::npos)
    return nullptr;
  boost::system::error_code error;
  json::value read =
      json::parse(shim::read_file(layout + "/blobs/sha256/" + text.substr(7), kFileMax).value_or(""), error);
  return error ? nullptr : read;
}

const json::value* find(const json::value& from, const char* pointer) {
  boost::system::error_code error;
  return from.find_pointer(pointer, error);
}

std::string text_at(const json::value& from, const char* pointer) {
  const json::value* const found = find(from, pointer);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : "";
}

}  // namespace

Result<ImageProcess> process_of_image(const std::string& layout, const std::string& rootfs,
                                      std::uint32_t ids) {
  boost::system::error_code error;
  const json::value index =
      json::parse(shim::read_file(layout + "/index.json", kFileMax).value_or(""), error);
  const json::value manifest = blob(layout, find(index, "/manifests/0/digest"));
  const json::value config = blob(layout, find(manifest, "/config/digest"));
  if (!config.is_object()) return make_error("image-pull-failed", "the image's config cannot be read");
  ImageProcess process;
  if (auto found = set_user(text_at(config, "/config/User"), rootfs, process); !found.ok())
    return found.error();
  for (const std::uint32_t id : {process.uid, process.gid})
    if (id >= ids)
      return make_error("image-user-unknown", "the image runs as " + std::to_string(process.uid) + ":" +
                                                  std::to_string(process.gid) +
                                                  ", and a kernel has users 0 to " + std::to_string(ids - 1));
  std::erase_if(process.groups, [&](std::uint32_t id) { return id >= ids; });
  if (std::string folder = text_at(config, "/config/WorkingDir"); !folder.empty())
    process.folder = folder.starts_with('/') ? folder : "/" + folder;
  const json::value* const env = find(config, "/config/Env");
  if (env == nullptr || !env->is_array()) return process;
  for (const json::value& entry : env->as_array()) {
    if (!entry.is_string()) continue;
    const std::string text(entry.as_string());
    if (text.starts_with("HOME=/"))
      process.home = text.substr(5);
    else if (!text.starts_with("HOME="))
      process.env.push_back(text);
  }
  return process;
}

json::object to_json(const ImageProcess& process) {
  return {{"env", json::value_from(process.env)},       {"uid", process.uid},   {"gid", process.gid},
          {"groups", json::value_from(process.groups)}, {"home", process.home}, {"folder", process.folder}};
}

std::optional<ImageProcess> image_process_in(const json::value& json) {
  const auto id_in = [](const json::value* value) -> std::optional<std::uint32_t> {
    if (value == nullptr || !value->is_number()) return std::nullopt;
    boost::system::error_code error;
    const auto id = value->to_number<std::uint32_t>(error);
    return error ? std::nullopt : std::optional(id);
  };
  ImageProcess process;
  const auto uid = id_in(find(json, "/uid")), gid = id_in(find(json, "/gid"));
  const json::value *const env = find(json, "/env"), *const groups = find(json, "/groups");
  process.home = text_at(json, "/home");
  process.folder = text_at(json, "/folder");
  if (!uid || !gid || env == nullptr || !env->is_array() || groups == nullptr || !groups->is_array() ||
      !process.home.starts_with('/') || !process.folder.starts_with('/'))
    return std::nullopt;
  process.uid = *uid;
  process.gid = *gid;
  for (const json::value& entry : env->as_array())
    if (entry.is_string()) process.env.emplace_back(entry.as_string());
  for (const json::value& entry : groups->as_array())
    if (const auto id = id_in(&entry)) process.groups.push_back(*id);
  return process;
}

}  // namespace berth::agents
