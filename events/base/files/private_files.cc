#include "events/base/files/private_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>

#include "events/base/files/descriptor.h"
#include "events/base/files/durable_file.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFileBytesMax = 64u << 10;
constexpr const char* kOurs[] = {"berth.lock", "cluster.json", "backend.lock"};  // one is in each data folder

std::string reason() { return std::strerror(errno); }

Code code(std::string_view kind, const char* what) { return Code::told(std::string(kind) + what); }

// A disk of its own, just mounted, has a `lost+found`.
bool is_empty_or_ours(const std::string& folder) {
  std::error_code error;
  bool is_empty = true;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (std::find(std::begin(kOurs), std::end(kOurs), name) != std::end(kOurs)) return true;
    is_empty = is_empty && name == "lost+found";
  }
  return is_empty && !error;
}

Error folder_error(const std::string& path, const std::string& why, std::string hint) {
  return make_error("data-folder", path + " " + why, std::move(hint));
}

// The mode of a folder of this user's own.
Result<mode_t> check_owner(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0)
    return folder_error(path, "cannot be used: " + reason(), "--data names another");
  if (S_ISLNK(info.st_mode)) return folder_error(path, "is a link", "name the folder itself");
  if (!S_ISDIR(info.st_mode)) return folder_error(path, "is no folder", "--data names another");
  if (info.st_uid != ::geteuid())
    return folder_error(path, "belongs to another user, number " + std::to_string(info.st_uid),
                        "that user could read and change all that is in it; name a folder of your own");
  return info.st_mode;
}

enum class Inside { kOursAlone, kAnything };

Result<void> make_private(const std::string& path, Inside inside) {
  const std::string folder = path.substr(0, path.find_last_not_of('/') + 1);
  const fs::path above = fs::path(folder).parent_path();
  std::error_code error;
  if (!above.empty()) fs::create_directories(above, error);
  if (error)
    return folder_error(above.string(), "cannot be made: " + error.message(), "--data names another");
  if (::mkdir(folder.c_str(), 0700) == 0) return {};
  if (errno != EEXIST) return folder_error(folder, "cannot be made: " + reason(), "--data names another");
  const auto mode = check_owner(folder);
  if (!mode) return mode.error();
  if ((*mode & 077) == 0) return {};
  if (inside == Inside::kOursAlone && !is_empty_or_ours(folder))
    return folder_error(folder, "may be entered by others, and something else than Berth's is in it",
                        "name a folder of its own, or chmod 700 " + folder);
  if (::chmod(folder.c_str(), 0700) != 0)
    return folder_error(folder, "cannot be closed to others: " + reason(), "chmod 700 " + folder);
  return {};
}

}  // namespace

Result<void> make_private_folder(const std::string& path) { return make_private(path, Inside::kOursAlone); }

Result<void> make_private_subfolder(const std::string& path) { return make_private(path, Inside::kAnything); }

std::optional<std::string> foreign_folder_above(const std::string& path) {
  std::error_code error;
  for (fs::path above = fs::canonical(path, error); above.has_relative_path();) {
    above = above.parent_path();
    struct stat info {};
    if (::stat(above.c_str(), &info) != 0) continue;
    if (info.st_uid != 0 && info.st_uid != ::geteuid())
      return above.string() + ", above " + path + ", belongs to another user, number " +
             std::to_string(info.st_uid) + ", who can move it away and put another in its place";
  }
  return std::nullopt;
}

namespace {

// Without waiting for the other end of a pipe.
Result<Descriptor> open_regular(const std::string& path, int flags, std::string_view kind,
                                std::string_view hint, struct stat& info) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags));
  if (file.get() < 0 && errno == ENOENT)
    return make_error(code(kind, "-missing"), "there is no " + path, std::string(hint));
  if (file.get() < 0 && errno == ELOOP)
    return make_error(code(kind, "-foreign"), path + " is a link", "name the file itself");
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0)
    return make_error(code(kind, "-unreadable"), path + ": " + reason());
  if (!S_ISREG(info.st_mode)) return make_error(code(kind, "-foreign"), path + " is no regular file");
  return file;
}

Result<std::string> read_small(const Descriptor& file, const std::string& path, std::string_view kind) {
  std::string text(kFileBytesMax + 1, '\0');
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size < 0) return make_error(code(kind, "-unreadable"), path + ": " + reason());
  text.resize(static_cast<std::size_t>(size));
  if (text.size() > kFileBytesMax) return make_error(code(kind, "-too-large"), path + " is above 64 KiB");
  return text;
}

Error foreign(const std::string& path, std::string_view kind) {
  return make_error(code(kind, "-foreign"), path + " is no file of this user's own",
                    "whoever owns it could have chosen what is in it");
}

}  // namespace

namespace {

bool is_ours_or_roots(const struct stat& info) { return info.st_uid == 0 || info.st_uid == ::geteuid(); }

// What systemd hands to a service: files that nobody may write, in a folder that keeps others out. Where root
// owns them, the service's user reads them by an access list, whose mask is seen as the rights of root's
// group.
bool is_closed_by_systemd(const struct stat& info, mode_t others) {
  const bool no_group = (info.st_mode & 070) == 0;
  return is_ours_or_roots(info) && (info.st_mode & others) == 0 && (no_group || info.st_gid == 0);
}

bool is_credential(const std::string& path, const struct stat& info) {
  const char* folder = std::getenv("CREDENTIALS_DIRECTORY");
  const std::string above = folder == nullptr ? "" : std::string(folder) + "/";
  if (above.size() < 2 || !path.starts_with(above) || path.find('/', above.size()) != std::string::npos)
    return false;
  struct stat closed {};
  return is_closed_by_systemd(info, 0337) && ::stat(folder, &closed) == 0 && S_ISDIR(closed.st_mode) &&
         is_closed_by_systemd(closed, 027);
}

}  // namespace

Result<std::string> read_private_file(const std::string& path, std::string_view kind, std::string_view hint) {
  struct stat info {};
  const auto file = open_regular(path, O_NOFOLLOW, kind, hint, info);
  if (!file) return file.error();
  if (is_credential(path, info)) return read_small(*file, path, kind);
  if (info.st_uid != ::geteuid()) return foreign(path, kind);
  if ((info.st_mode & 077) != 0)
    return make_error(code(kind, "-open"), path + " may be read or written by others than its owner",
                      "chmod 600 " + path);
  return read_small(*file, path, kind);
}

Result<std::string> read_trusted_file(const std::string& path, std::string_view kind) {
  struct stat info {};
  const auto file = open_regular(path, 0, kind, {}, info);
  if (!file) return file.error();
  if (!is_ours_or_roots(info)) return foreign(path, kind);
  if ((info.st_mode & 022) != 0)
    return make_error(code(kind, "-open"), path + " may be written by others than its owner",
                      "chmod go-w " + path);
  return read_small(*file, path, kind);
}

Result<void> check_secret_file(const std::string& path, std::string_view kind) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    return make_error(code(kind, "-missing"), path + " does not exist or cannot be reached");
  if (is_credential(path, info) || (is_ours_or_roots(info) && (info.st_mode & 077) == 0)) return {};
  return make_error(code(kind, "-open"), path + " is not its owner's alone",
                    "it may hold a secret: chown it to the user of this program, and chmod 600");
}

Result<void> write_private_file(const std::string& path, std::string_view text, std::string_view kind) {
  const std::error_code failed = write_durably(path, text, 0600);
  if (!failed) return {};
  return make_error(code(kind, "-unwritable"), path + ": " + failed.message(),
                    "is its folder on a full or read-only disk?");
}

}  // namespace berth
