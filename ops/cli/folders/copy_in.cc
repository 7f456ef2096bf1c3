// FolderCopy: from this machine into a folder.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "events/codec/utf8.h"
#include "events/copy/files/pack.h"
#include "ops/cli/folders/folder_copy.h"
#include "ops/cli/folders/upload.h"

namespace berth::cli {
namespace {

Failure not_copyable(const std::string& path, const char* what) {
  return {kUsage, "not-copyable", "'" + path + "' is " + what, "name what it leads to, or another path", {}};
}

Failure not_opened(const std::string& path, int error) {
  if (error == ELOOP) return not_copyable(path, "a symbolic link");
  return {error == ENOENT ? kUsage : kFailed,
          error == ENOENT ? Code("not-found") : Code("denied"),
          "cannot read '" + path + "': " + std::strerror(error),
          {},
          {}};
}

// Neither a link is followed nor a FIFO waited for.
Descriptor open_here(int folder, const std::string& path) {
  return Descriptor(
      ::openat(folder, path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

// Sorted; without "." and "..".
std::vector<std::string> names_in(const Descriptor& folder) {
  std::vector<std::string> names;
  Descriptor own(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* const entries = own ? ::fdopendir(own.get()) : nullptr;
  if (entries == nullptr) return names;
  own.release();
  while (const dirent* entry = ::readdir(entries))
    if (const std::string name = entry->d_name; name != "." && name != "..") names.push_back(name);
  ::closedir(entries);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Outcome<int> FolderCopy::in(const std::string& from, const FolderPath& to) {
  const Descriptor file = open_here(AT_FDCWD, from);
  if (!file) return not_opened(from, errno);
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return not_opened(from, errno);
  const bool is_folder = S_ISDIR(about.st_mode);
  if (!is_folder && !S_ISREG(about.st_mode)) return not_copyable(from, "neither a file nor a folder");
  if (is_folder && !how_.recursive)
    return usage_failure("'" + from + "' is a folder", "-r copies it with all in it");
  std::string path = to.path;
  const std::string top = copy::top_of(from);
  const auto kind = to.path.empty() ? FolderFiles::Kind::kFolder : files_.kind(to.path);
  if (!kind) return kind.failure();
  if (top != "." && (to.is_folder || *kind == FolderFiles::Kind::kFolder)) path = joined_path(path, top);
  if (!is_folder)
    return parting(send_file(file.get(), static_cast<std::uint64_t>(about.st_size), path, from));
  return parting(send_folder(file, path, from, 0));
}

Outcome<int> FolderCopy::in(int file, const FolderPath& to) {
  struct stat about {};
  if (::fstat(file, &about) != 0) return not_opened("stdin", errno);
  return parting(send_file(file, static_cast<std::uint64_t>(about.st_size), to.path, "stdin"));
}

Outcome<bool> FolderCopy::send_file(int file, std::uint64_t bytes, const std::string& path,
                                    const std::string& name) {
  return Upload(shell_, files_, progress_, file, bytes, name).run(path, how_.overwrite);
}

// One that is there is merged with.
Outcome<bool> FolderCopy::send_folder(const Descriptor& folder, const std::string& path,
                                      const std::string& name, int depth) {
  if (depth == kDepthMax) {
    notes_.add(name, "lies in more than " + std::to_string(kDepthMax) + " folders");
    return true;
  }
  if (!path.empty()) {
    auto made = files_.make_folder(path);
    if (!made && made.failure().code != "path-exists") return told(made, name);
  }
  for (const auto& entry : names_in(folder))
    if (auto sent = send_entry(folder.get(), entry, joined_path(path, entry), name + "/" + entry, depth);
        !sent)
      return sent;
  return true;
}

Outcome<bool> FolderCopy::send_entry(int folder, const std::string& entry, const std::string& path,
                                     const std::string& name, int depth) {
  const auto leave_out = [&](const std::string& why) {
    notes_.add(name, why);
    return true;
  };
  struct stat about {};
  if (!is_utf8(entry)) return leave_out("its name is no UTF-8");
  if (::fstatat(folder, entry.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0)
    return leave_out(std::strerror(errno));
  if (S_ISLNK(about.st_mode)) return leave_out("is a symbolic link");
  if (!S_ISDIR(about.st_mode) && !S_ISREG(about.st_mode)) return leave_out("is neither a file nor a folder");
  const Descriptor file = open_here(folder, entry);
  if (!file || ::fstat(file.get(), &about) != 0) return leave_out(std::strerror(errno));
  if (S_ISDIR(about.st_mode)) return send_folder(file, path, name, depth + 1);
  if (!S_ISREG(about.st_mode)) return leave_out("is neither a file nor a folder");
  return told(send_file(file.get(), static_cast<std::uint64_t>(about.st_size), path, name), name);
}

}  // namespace berth::cli
