#include "events/copy/files/pack.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "events/base/files/descriptor.h"
#include "events/copy/entry_name.h"
#include "events/copy/files/problems.h"
#include "events/copy/tar.h"

namespace berth::copy {
namespace {

// Neither a link nor a FIFO may lead or hold anybody anywhere.
constexpr int kOpenFile = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Of a file that says that it has no bytes: those of /proc say so, and have some.
constexpr std::size_t kUnsaidBytesMax = 1u << 20;

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// A folder that is being packed.
struct Level {
  std::unique_ptr<DIR, CloseFolder> folder;
  std::size_t name_size = 0;  // of its name in the stream
};

TarEntry entry_of(TarEntry::Kind kind, std::string name, const struct stat& about) {
  TarEntry entry;
  entry.kind = kind;
  entry.name = std::move(name);
  entry.size = kind == TarEntry::Kind::kFile ? static_cast<std::uint64_t>(about.st_size) : 0;
  entry.mode = about.st_mode & 0777;
  entry.changed_at = {about.st_mtim.tv_sec, static_cast<std::uint32_t>(about.st_mtim.tv_nsec)};
  return entry;
}

bool is_dots(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

class Packer {
 public:
  Packer(const Sink& sink, Notes& notes) : sink_(sink), notes_(notes) { piece_.reserve(kPieceMax); }

  void add_file(const Descriptor& file, const std::string& name, const struct stat& about);
  // Its own entry; what is in it comes with add_rest().
  void add_folder(Descriptor folder, const std::string& name, const struct stat& about);
  void add_rest();
  // False: nobody wants more.
  bool finish();

 private:
  void add_child(const char* child);
  void add_link(int folder, const char* child, const struct stat& about);
  void put(std::string_view bytes);
  void put_header(const TarEntry& entry);
  void put_zeros(std::uint64_t count);
  std::string read_unsaid(const Descriptor& file, const std::string& name);
  void flush();
  // The child named last could not be packed.
  void leave_out(int error);

  const Sink& sink_;
  Notes& notes_;
  std::string piece_;
  bool stopped_ = false;
  std::vector<Level> levels_;
  std::string name_;  // of the child at hand, in the stream
};

void Packer::flush() {
  if (!piece_.empty() && !stopped_) stopped_ = !sink_(piece_);
  piece_.clear();
}

void Packer::put(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view fits = bytes.substr(0, kPieceMax - piece_.size());
    piece_ += fits;
    bytes.remove_prefix(fits.size());
    if (piece_.size() == kPieceMax) flush();
  }
}

void Packer::put_header(const TarEntry& entry) {
  std::string header;
  append_header(header, entry);
  put(header);
}

void Packer::put_zeros(std::uint64_t count) {
  static constexpr char kZeros[4096] = {};
  for (; count > 0 && !stopped_; count -= std::min<std::uint64_t>(count, sizeof kZeros))
    put({kZeros, static_cast<std::size_t>(std::min<std::uint64_t>(count, sizeof kZeros))});
}

std::string Packer::read_unsaid(const Descriptor& file, const std::string& name) {
  std::string all;
  char bytes[4096];
  while (all.size() < kUnsaidBytesMax) {
    const ssize_t got = read(file.get(), bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) notes_.add(name, std::strerror(errno));
    if (got <= 0) return all;
    all.append(bytes, static_cast<std::size_t>(got));
  }
  notes_.add(name, "it does not say how long it is: its first MiB was copied");
  return all;
}

void Packer::add_file(const Descriptor& file, const std::string& name, const struct stat& about) {
  TarEntry entry = entry_of(TarEntry::Kind::kFile, name, about);
  const std::string unsaid = entry.size == 0 ? read_unsaid(file, name) : std::string();
  std::uint64_t left = entry.size;
  entry.size += unsaid.size();
  put_header(entry);
  put(unsaid);
  char bytes[32 << 10];
  while (left > 0 && !stopped_) {
    const ssize_t got = read(file.get(), bytes, std::min<std::uint64_t>(sizeof bytes, left));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      notes_.add(name, got == 0 ? "it has become shorter while it was read, and is filled up with zeros"
                                : std::string(std::strerror(errno)) + "; the rest is zeros");
      put_zeros(left);
      break;
    }
    put({bytes, static_cast<std::size_t>(got)});
    left -= static_cast<std::uint64_t>(got);
  }
  put_zeros(padding_of(entry.size));
}

void Packer::add_folder(Descriptor folder, const std::string& name, const struct stat& about) {
  std::unique_ptr<DIR, CloseFolder> opened(fdopendir(folder.get()));
  name_ = name;
  if (!opened) return leave_out(errno);
  folder.release();
  put_header(entry_of(TarEntry::Kind::kFolder, name + "/", about));
  levels_.push_back({std::move(opened), name.size()});
}

void Packer::add_rest() {
  while (!levels_.empty() && !stopped_) {
    errno = 0;
    const dirent* const found = readdir(levels_.back().folder.get());
    name_.resize(levels_.back().name_size);
    if (found == nullptr) {
      if (errno != 0) leave_out(errno);
      levels_.pop_back();
    } else if (!is_dots(found->d_name)) {
      name_ += "/";
      name_ += found->d_name;
      add_child(found->d_name);
    }
  }
}

void Packer::add_child(const char* child) {
  const int folder = dirfd(levels_.back().folder.get());
  if (name_.size() >= kEntryNameMax || levels_.size() >= kDepthMax - 1)
    return notes_.add(name_, "its name is too long, or it lies too deep");
  struct stat about;
  if (fstatat(folder, child, &about, AT_SYMLINK_NOFOLLOW) != 0) return leave_out(errno);
  if (S_ISLNK(about.st_mode)) return add_link(folder, child, about);
  if (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
    return notes_.add(name_, "it is neither a file nor a folder nor a link");
  Descriptor opened(openat(folder, child, S_ISDIR(about.st_mode) ? kOpenFolder : kOpenFile));
  if (!opened || fstat(opened.get(), &about) != 0) return leave_out(errno);
  if (S_ISDIR(about.st_mode)) return add_folder(std::move(opened), name_, about);
  if (S_ISREG(about.st_mode)) add_file(opened, name_, about);
}

void Packer::add_link(int folder, const char* child, const struct stat& about) {
  char target[kEntryNameMax];
  const ssize_t size = readlinkat(folder, child, target, sizeof target);
  if (size < 0) return leave_out(errno);
  TarEntry entry = entry_of(TarEntry::Kind::kLink, name_, about);
  entry.target.assign(target, static_cast<std::size_t>(size));
  put_header(entry);
}

void Packer::leave_out(int error) {
  // Removed since the folder was read: then it need not be copied.
  if (error != ENOENT) notes_.add(name_, std::strerror(error));
}

bool Packer::finish() {
  std::string end;
  append_end(end);
  put(end);
  flush();
  return !stopped_;
}

}  // namespace

std::string top_of(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const std::string_view last = path.substr(path.rfind('/') + 1);
  return last.empty() || last == ".." ? "." : std::string(last);
}

std::optional<Problem> pack(const std::string& path, const Sink& sink, Notes& notes) {
  struct stat about;
  if (stat(path.c_str(), &about) != 0) return problem_of(errno, "cannot look at", path, "read-failed");
  if (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
    return Problem{"not-copyable", "'" + shown(path) + "' is neither a file nor a folder"};
  // Its own last link is followed: whoever names it wants what is behind.
  Descriptor opened(open(path.c_str(), (S_ISDIR(about.st_mode) ? kOpenFolder : kOpenFile) & ~O_NOFOLLOW, 0));
  if (!opened || fstat(opened.get(), &about) != 0)
    return problem_of(errno, "cannot read", path, "read-failed");
  Packer packer(sink, notes);
  if (S_ISDIR(about.st_mode))
    packer.add_folder(std::move(opened), top_of(path), about);
  else if (S_ISREG(about.st_mode))
    packer.add_file(opened, top_of(path), about);
  packer.add_rest();
  notes.finish();
  if (!packer.finish()) return Problem{"copy-stopped", "nobody takes what is packed"};
  return std::nullopt;
}

}  // namespace berth::copy
