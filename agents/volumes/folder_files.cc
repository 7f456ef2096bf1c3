#include "agents/volumes/folder_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>

#include "agents/volumes/beneath.h"
#include "events/base/hash.h"
#include "events/base/secrets.h"
#include "events/codec/file_service.h"
#include "events/codec/utf8.h"

namespace berth::agents {
namespace {

std::string last_part(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// The first names behind `after`, in the order of their bytes.
class FirstNames {
 public:
  FirstNames(std::string after, std::size_t most) : after_(std::move(after)), most_(most) {}
  void add(const char* name) {
    if (after_ >= name) return;
    if (names_.size() > most_ && *names_.rbegin() <= name) return;
    names_.emplace(name);
    if (names_.size() > most_ + 1) names_.erase(std::prev(names_.end()));
  }
  bool has_more() const { return names_.size() > most_; }
  std::set<std::string> take() {
    if (has_more()) names_.erase(std::prev(names_.end()));
    return std::move(names_);
  }

 private:
  const std::string after_;
  const std::size_t most_;
  std::set<std::string> names_;  // one more than `most_` says that there are more
};

struct CloseListing {
  void operator()(DIR* listing) const { closedir(listing); }
};

// Whoever owns a file gives it any time at all: what no Timestamp holds is the last that one does.
Timestamp time_of(const timespec& time) {
  constexpr std::int64_t kSecondsMax = INT64_MAX / kSecond - 1;
  return std::clamp<std::int64_t>(time.tv_sec, -kSecondsMax, kSecondsMax) * kSecond + time.tv_nsec;
}

// Changes with every write, and with a new file under the name.
std::string tag_of(const struct stat& info) {
  const auto hex = [](auto number) {
    char text[17];
    snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(number));
    return std::string(text);
  };
  return hex(info.st_ino) + "g" + hex(info.st_size) + "g" + hex(info.st_mtim.tv_sec) + "g" +
         hex(info.st_mtim.tv_nsec) + "g" + hex(info.st_ctim.tv_sec) + "g" + hex(info.st_ctim.tv_nsec);
}

}  // namespace

v1::FileEntry entry_of(const std::string& name, const struct stat& info) {
  v1::FileEntry entry;
  entry.set_name(name);
  entry.set_type(S_ISREG(info.st_mode) ? v1::FILE : S_ISDIR(info.st_mode) ? v1::FOLDER : v1::OTHER);
  entry.set_modified_ns(time_of(info.st_mtim));
  entry.set_mode(info.st_mode & 07777);
  if (!S_ISREG(info.st_mode)) return entry;
  entry.set_bytes(static_cast<std::uint64_t>(info.st_size));
  entry.set_tag(tag_of(info));
  return entry;
}

Result<v1::FileAnswer> FolderFiles::list(const std::string& path, const std::string& after,
                                         std::uint32_t limit) const {
  if (auto good = check_path(path); !good) return good.error();
  Descriptor folder = open_beneath(folder_.folder.get(), path, O_RDONLY | O_DIRECTORY);
  if (!folder) return path_error(path);
  const int fd = folder.get();
  const std::unique_ptr<DIR, CloseListing> listing(fdopendir(fd));
  if (!listing) return path_error(path);
  folder.release();
  FirstNames names(after, limit == 0 ? kFileListPageMax : std::min(limit, kFileListPageMax));
  v1::FileAnswer answer;
  std::size_t seen = 0;
  for (errno = 0; const dirent* entry = readdir(listing.get()); errno = 0) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (++seen > kFilesListedMax)
      return make_error("too-many-files",
                        shown_path(path) + " has more than " + std::to_string(kFilesListedMax) + " entries",
                        "list it in a session that has the folder");
    if (is_utf8(name)) {
      names.add(entry->d_name);
    } else {
      answer.set_not_utf8(answer.not_utf8() + 1);
    }
  }
  if (errno != 0) return path_error(path);
  const bool has_more = names.has_more();
  for (const std::string& name : names.take()) {
    struct stat info {};
    if (has_more) answer.set_next(name);
    if (fstatat(fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;  // it has just gone
    *answer.add_entries() = entry_of(name, info);
  }
  return answer;
}

Result<v1::FileEntry> FolderFiles::stat(const std::string& path) const {
  if (auto good = check_path(path); !good) return good.error();
  const Descriptor what = open_beneath(folder_.folder.get(), path, O_PATH | O_NOFOLLOW);
  struct stat info {};
  if (!what || fstat(what.get(), &info) != 0) return path_error(path);
  return entry_of(last_part(path), info);
}

// What is behind the path is looked at before it is opened, and it is that very thing which is opened then.
Result<OpenFile> FolderFiles::open(const std::string& path) const {
  if (auto good = check_path(path); !good) return good.error();
  const Descriptor what = open_beneath(folder_.folder.get(), path, O_PATH | O_NOFOLLOW);
  struct stat info {};
  if (!what || fstat(what.get(), &info) != 0) return path_error(path);
  if (!S_ISREG(info.st_mode))
    return make_error("not-a-file",
                      shown_path(path) + (S_ISDIR(info.st_mode) ? " is a folder" : " is no file"),
                      S_ISLNK(info.st_mode) ? "links are not followed: name the file itself" : "");
  const std::string same = "/proc/self/fd/" + std::to_string(what.get());
  OpenFile opened{Descriptor(::open(same.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)),
                  entry_of(last_part(path), info)};
  if (opened.file) return opened;
  if (errno == EWOULDBLOCK)
    return make_error("file-busy", shown_path(path) + " is held by a program in a session",
                      "end the program, or try again");
  return path_error(path);
}

Result<void> FolderFiles::make_folder(const std::string& path) {
  const auto place = place_of(folder_.folder.get(), path);
  if (!place) return place.error();
  const std::string staged = "make-" + to_hex(random_bytes(16));
  const int staging = folder_.staging.get();
  const std::uint32_t owner = folder_.volume.owner;
  if (mkdirat(staging, staged.c_str(), 0700) != 0) return path_error(path);
  const Descriptor folder(openat(staging, staged.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder && fchown(folder.get(), owner, owner) == 0 && fchmod(folder.get(), 0755) == 0 &&
      renameat2(staging, staged.c_str(), place->above.get(), place->name.c_str(), RENAME_NOREPLACE) == 0 &&
      fsync(place->above.get()) == 0)
    return {};
  auto error = path_error(path);
  unlinkat(staging, staged.c_str(), AT_REMOVEDIR);
  return error;
}

Result<void> FolderFiles::rename(const std::string& path, const std::string& to) {
  const auto from = place_of(folder_.folder.get(), path);
  if (!from) return from.error();
  const auto place = place_of(folder_.folder.get(), to);
  if (!place) return place.error();
  if (renameat2(from->above.get(), from->name.c_str(), place->above.get(), place->name.c_str(),
                RENAME_NOREPLACE) != 0)
    return path_error(errno == EEXIST ? to : path);
  if (fsync(place->above.get()) != 0 || fsync(from->above.get()) != 0) return path_error(path);
  return {};
}

Result<void> FolderFiles::remove(const std::string& path, bool recursive) {
  const auto place = place_of(folder_.folder.get(), path);
  if (!place) return place.error();
  const int above = place->above.get();
  const char* const name = place->name.c_str();
  bool gone = unlinkat(above, name, 0) == 0;
  if (!gone && errno == EISDIR) gone = unlinkat(above, name, AT_REMOVEDIR) == 0;
  if (!gone && errno == ENOTEMPTY && recursive)
    gone = volumes_.throw_away(folder_.volume, above, place->name);
  if (!gone || fsync(above) != 0) return path_error(path);
  return {};
}

}  // namespace berth::agents
