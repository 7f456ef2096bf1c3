#include "events/base/files/known_folder.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "events/base/files/durable_file.h"
#include "events/base/files/home_folder.h"
#include "events/base/hash.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "berth known 1 ";  // "berth known 1 ID PATH\n"

// Of what was remembered of this path; empty: nothing.
std::string known_id(const KnownFolder& folder) {
  std::ifstream file(folder.record, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!text.starts_with(kBegin) || !text.ends_with('\n')) return {};
  const std::size_t blank = text.find(' ', kBegin.size());
  if (blank == std::string::npos || text.substr(blank + 1, text.size() - blank - 2) != folder.path) return {};
  return text.substr(kBegin.size(), blank - kBegin.size());
}

}  // namespace

Result<void> check_known_folder(const KnownFolder& folder, const std::string& id) {
  const std::string known = folder.record.empty() ? "" : known_id(folder);
  if (known.empty() || known == id) return {};
  const std::string before = folder.path + " held " + folder.what + " " + known + " when it was opened last";
  const std::string hint = "is its disk mounted, and no other over it? If another " + folder.what +
                           " is meant: rm " + folder.record;
  if (id.empty()) return make_error("known-folder-empty", before + ", and holds none now", hint);
  return make_error("known-folder-other", before + ", and holds " + folder.what + " " + id + " now", hint);
}

std::error_code remember_folder(const KnownFolder& folder, const std::string& id) {
  if (known_id(folder) == id) return {};
  std::error_code error;
  const fs::path above = fs::path(folder.record).parent_path();
  fs::create_directories(above.parent_path(), error);
  if (::mkdir(above.c_str(), 0700) != 0 && errno != EEXIST) return {errno, std::generic_category()};
  return write_durably(folder.record, std::string(kBegin) + id + " " + folder.path + "\n", 0600);
}

bool is_on_its_own_disk(const std::string& path) {
  struct stat root {
  }, here{};
  struct statfs system {};
  fs::path at = path;
  while (::stat(at.c_str(), &here) != 0 && at.has_relative_path()) at = at.parent_path();
  if (::stat("/", &root) != 0 || ::statfs(at.c_str(), &system) != 0) return false;
  return here.st_dev != root.st_dev && system.f_type != TMPFS_MAGIC && system.f_type != RAMFS_MAGIC;
}

bool is_worth_remembering(const std::string& path, bool is_service) {
  return is_service || is_on_its_own_disk(path);
}

std::string record_of_agent(const std::string& path) {
  const std::string record = record_of_cluster(path);
  return record.empty() ? "" : record + "-agent";
}

std::string record_of_cluster(const std::string& path) {
  const std::string name = to_hex(as_view(blake2b_128(path))).substr(0, 16);
  if (::geteuid() == 0) return "/var/lib/berth-known/" + name;
  // A service of systemd's has a folder for that, and cannot write into a home.
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return std::string(state) + "/berth-known/" + name;
  const std::string home = home_folder();
  return home.empty() ? "" : home + "/.local/state/berth-known/" + name;
}

}  // namespace berth
