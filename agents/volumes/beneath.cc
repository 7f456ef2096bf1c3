#include "agents/volumes/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "events/base/text.h"
#include "events/codec/file_service.h"

namespace berth::agents {

Descriptor open_beneath(int folder, std::string_view path, int flags) {
  constexpr int kTurns = 8;  // a rename elsewhere may disturb a turn (EAGAIN)
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS;
  const std::string text(path.empty() ? "." : path);
  for (int turn = 0;; ++turn) {
    const long opened = syscall(SYS_openat2, folder, text.c_str(), &how, sizeof how);
    if (opened >= 0) return Descriptor(static_cast<int>(opened));
    if ((errno != EAGAIN && errno != EINTR) || turn == kTurns || (flags & O_NONBLOCK) != 0) return {};
  }
}

std::string shown_path(std::string_view path) {
  return path.empty() ? "the folder itself" : "'" + clipped(path, 200) + "'";
}

Error path_error(std::string_view path) {
  const int error = errno;
  const std::string what = shown_path(path);
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return make_error("volume-full", "the volume has no room left",
                        "remove what is not needed, or ask the administrator for room");
    case ENOENT: return make_error("unknown-path", what + " is not there");
    case EEXIST: return make_error("path-exists", what + " is there already");
    case ENOTDIR: return make_error("not-a-folder", what + " is no folder, or lies in none");
    case ELOOP: return make_error("not-a-folder", what + ": a link on the way is not followed");
    case ENOTEMPTY:
      return make_error("folder-not-empty", what + " is not empty", "remove it with all that is in it");
    case EXDEV: return make_error("path-invalid", what + " leads out of the folder");
    case ENAMETOOLONG: return make_error("path-invalid", what + " is too long for the volume");
    case EINVAL: return make_error("path-invalid", what + ": a folder cannot be moved into itself");
    default: return make_error("volume-failed", what + ": " + std::strerror(error));
  }
}

Result<void> check_path(const std::string& path) {
  if (const auto problem = problem_of_file_path(path))
    return make_error("path-invalid", shown_path(path) + " is no path in a folder: " + *problem);
  return {};
}

Result<Place> place_of(int folder, const std::string& path) {
  if (auto good = check_path(path); !good) return good.error();
  if (path.empty())
    return make_error("path-invalid", "a path in the folder is needed",
                      "the folder itself is another matter");
  const auto slash = path.rfind('/');
  const std::string above = slash == std::string::npos ? "" : path.substr(0, slash);
  Place place{open_beneath(folder, above, O_RDONLY | O_DIRECTORY),
              slash == std::string::npos ? path : path.substr(slash + 1)};
  if (!place.above) return path_error(above);
  return place;
}

bool write_all(int file, std::string_view bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return true;
}

}  // namespace berth::agents
