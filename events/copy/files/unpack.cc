#include "events/copy/files/unpack.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <variant>

#include "events/copy/entry_name.h"
#include "events/copy/files/problems.h"

namespace berth::copy {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

// The process's own, which can only be read by setting it.
mode_t own_umask() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

std::string_view without_slashes(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

timespec timespec_of(const FileTime& time) {
  timespec spec{};
  spec.tv_sec = time.seconds;
  spec.tv_nsec = time.nanoseconds;
  return spec;
}

// Errors after which nothing else would go better.
bool ends_all(int error) {
  for (const int end : {ENOSPC, EDQUOT, EIO, EROFS, EMFILE, ENFILE, ENOMEM, EFBIG})
    if (error == end) return true;
  return false;
}

Problem several_at_top(const std::string& name) {
  return {"several-at-top",
          "'" + shown(name) + "' is not there, and the stream has more than one thing to put in its place"};
}

}  // namespace

Unpacker::Unpacker(UnpackTo to, Notes& notes) : to_(std::move(to)), notes_(notes), umask_(own_umask()) {}

Unpacker::~Unpacker() { give_up_file(); }

// REQUIRES: the folder that it is in is open.
void Unpacker::give_up_file() {
  if (file_) unlinkat(folder(), aside_.c_str(), 0);
  file_ = Descriptor();
}

std::optional<Problem> Unpacker::open() {
  struct stat about;
  const bool is_there = stat(to_.path.c_str(), &about) == 0;
  if (!is_there && errno != ENOENT) return problem_of(errno, "cannot look at", to_.path, "write-failed");
  std::string in = to_.path;
  new_name_ = to_.top;
  if (!is_there || !S_ISDIR(about.st_mode)) {
    const std::string_view path = without_slashes(to_.path);
    const std::size_t slash = path.rfind('/');
    new_name_ = std::string(path.substr(slash + 1));
    in = slash == std::string_view::npos ? "." : std::string(path.substr(0, slash + 1));
    makes_folder_ = to_.path.back() == '/';
    if (is_there && makes_folder_) return problem_of(ENOTDIR, "cannot use", to_.path, "write-failed");
    if (new_name_ == "." || new_name_ == "..")
      return problem_of(ENOENT, "cannot use", to_.path, "write-failed");
  }
  root_ = Descriptor(::open(in.c_str(), kFolderFlags));
  if (!root_) return problem_of(errno, "cannot open", in, "write-failed");
  return std::nullopt;
}

std::optional<Problem> Unpacker::take(std::string_view bytes) {
  while (auto item = reader_.next(bytes)) {
    std::optional<Problem> problem;
    if (const auto* const entry = std::get_if<TarEntry>(&*item))
      problem = take_entry(*entry);
    else if (const auto* const part = std::get_if<FileBytes>(&*item))
      problem = write_file(part->bytes);
    if (problem) return problem;
  }
  return reader_.problem();
}

std::optional<Problem> Unpacker::finish() {
  give_up_file();
  leave(0);
  notes_.finish();
  if (!reader_.ended()) return Problem{"tar-cut", "the tar stream stops before its end"};
  return std::nullopt;
}

std::optional<Problem> Unpacker::take_entry(const TarEntry& entry) {
  name_ = entry.name;
  auto parts = parts_of(entry.name);
  if (!parts) {
    notes_.add(entry.name, "such a name is not taken: it leads elsewhere, or is too long or too deep");
    return std::nullopt;
  }
  if (parts->empty() && new_name_.empty()) return std::nullopt;  // the destination itself
  if (parts->empty()) return make_root(entry);
  if (!new_name_.empty()) {
    if (top_.empty()) top_ = parts->front();
    if (top_ != parts->front()) return several_at_top(to_.path);
    parts->front() = new_name_;
  }
  return make(entry, *parts);
}

// What is packed is a folder's content: the folder gets the new name.
std::optional<Problem> Unpacker::make_root(const TarEntry& entry) {
  if (!top_.empty()) return several_at_top(to_.path);
  if (entry.kind != TarEntry::Kind::kFolder) {
    notes_.add(entry.name, "it has no name");
    return std::nullopt;
  }
  if (auto problem = make_folder(entry, {new_name_})) return problem;
  if (opened_.empty()) return std::nullopt;  // told
  root_ = std::move(opened_.back().folder);
  opened_.clear();
  new_name_.clear();
  return std::nullopt;
}

std::optional<Problem> Unpacker::make(const TarEntry& entry, const Parts& parts) {
  switch (entry.kind) {
    case TarEntry::Kind::kFile: return begin_file(entry, parts);
    case TarEntry::Kind::kFolder: return make_folder(entry, parts);
    case TarEntry::Kind::kLink: return make_link(entry, parts);
    case TarEntry::Kind::kHardLink:
      notes_.add(entry.name, "hard links are not taken; tar --hard-dereference packs them as files");
      break;
    case TarEntry::Kind::kOther: notes_.add(entry.name, "it is neither a plain file nor a folder nor a link");
  }
  return std::nullopt;
}

// Opens the first `count` folders of these, makes those that are missing. Returns an error number, 0: done.
int Unpacker::enter(const Parts& parts, std::size_t count) {
  std::size_t same = 0;
  while (same < std::min(count, opened_.size()) && opened_[same].name == parts[same]) ++same;
  leave(same);
  for (; same < count; ++same) {
    const char* const name = parts[same].c_str();
    if (mkdirat(folder(), name, 0777) != 0 && errno != EEXIST) return errno;
    Descriptor next(openat(folder(), name, kFolderFlags | O_NOFOLLOW));
    if (!next) return errno;
    opened_.push_back({parts[same], std::move(next), std::nullopt});
  }
  return 0;
}

// Closes folders until so many are open.
void Unpacker::leave(std::size_t count) {
  for (; opened_.size() > count; opened_.pop_back()) {
    const Opened& last = opened_.back();
    if (!last.at_end) continue;
    const timespec times[2] = {timespec_of(last.at_end->changed_at), timespec_of(last.at_end->changed_at)};
    futimens(last.folder.get(), times);
    fchmod(last.folder.get(), last.at_end->mode);
  }
}

std::optional<Problem> Unpacker::make_folder(const TarEntry& entry, const Parts& parts) {
  const std::size_t above = parts.size() - 1;
  if (const int error = enter(parts, above)) return failed(entry.name, error);
  const bool made = mkdirat(folder(), parts.back().c_str(), entry.mode | 0700) == 0;
  if (!made && errno != EEXIST) return failed(entry.name, errno);
  if (const int error = enter(parts, above + 1)) {
    if (above > 0 || new_name_.empty() || error != ENOTDIR) return failed(entry.name, error);
    return Problem{"not-a-folder", "'" + shown(to_.path) + "' is not a folder, and a folder is to go there"};
  }
  if (made) opened_.back().at_end = Attributes{entry.mode & ~umask_, entry.changed_at};
  return std::nullopt;
}

std::optional<Problem> Unpacker::make_link(const TarEntry& entry, const Parts& parts) {
  const std::size_t above = parts.size() - 1, fixed = new_name_.empty() ? 0 : 1;
  const bool usable = !entry.target.empty() && entry.target.find('\0') == std::string::npos;
  const bool inside = above >= fixed && stays_inside(entry.target, above - fixed);
  if (!usable || (!to_.links_out && !inside)) {
    notes_.add(entry.name, "the link leads out of what is copied, to '" + shown(entry.target) + "'");
    return std::nullopt;
  }
  if (const int error = enter(parts, above)) return failed(entry.name, error);
  int made = -1;
  do {
    aside_ = next_aside();
    made = symlinkat(entry.target.c_str(), folder(), aside_.c_str());
  } while (made != 0 && errno == EEXIST);
  if (made != 0) return failed(entry.name, errno);
  const timespec times[2] = {timespec_of(entry.changed_at), timespec_of(entry.changed_at)};
  utimensat(folder(), aside_.c_str(), times, AT_SYMLINK_NOFOLLOW);
  if (!put_in_place(folder(), parts.back())) return failed(entry.name, errno);
  return std::nullopt;
}

std::optional<Problem> Unpacker::begin_file(const TarEntry& entry, const Parts& parts) {
  if (parts.size() == 1 && makes_folder_)
    return problem_of(ENOENT, "there is no folder", to_.path, "write-failed");
  if (const int error = enter(parts, parts.size() - 1)) return failed(entry.name, error);
  do {
    aside_ = next_aside();
    file_ = Descriptor(
        openat(folder(), aside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  } while (!file_ && errno == EEXIST);
  if (!file_) return failed(entry.name, errno);
  final_name_ = parts.back();
  attributes_ = {entry.mode & ~umask_, entry.changed_at};
  left_ = entry.size;
  return left_ == 0 ? end_file() : std::nullopt;
}

std::optional<Problem> Unpacker::write_file(std::string_view bytes) {
  if (!file_) return std::nullopt;  // its file was left out
  left_ -= bytes.size();
  while (!bytes.empty()) {
    const ssize_t wrote = write(file_.get(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return problem_of(errno, "cannot write", name_, "write-failed");
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return left_ == 0 ? end_file() : std::nullopt;
}

std::optional<Problem> Unpacker::end_file() {
  const timespec times[2] = {timespec_of(attributes_.changed_at), timespec_of(attributes_.changed_at)};
  futimens(file_.get(), times);
  fchmod(file_.get(), attributes_.mode);
  // Some file systems write only now.
  const bool written = close(file_.release()) == 0;
  if (written && put_in_place(folder(), final_name_)) return std::nullopt;
  const int error = errno;
  unlinkat(folder(), aside_.c_str(), 0);
  return failed(name_, error);
}

bool Unpacker::put_in_place(int folder, const std::string& name) {
  if (renameat(folder, aside_.c_str(), folder, name.c_str()) == 0) return true;
  const int error = errno;
  unlinkat(folder, aside_.c_str(), 0);
  errno = error;
  return false;
}

std::string Unpacker::next_aside() {
  char name[64];
  std::snprintf(name, sizeof name, ".berth-copy.%d.%u", static_cast<int>(getpid()), ++asides_);
  return name;
}

// One thing could not be made: it is told, unless nothing else could be made either.
std::optional<Problem> Unpacker::failed(const std::string& name, int error) {
  if (ends_all(error)) return problem_of(error, "cannot make", name, "write-failed");
  const bool in_the_way = error == ENOTDIR || error == EISDIR || error == ELOOP;
  notes_.add(name, in_the_way ? "something of another kind is in its place, or on the way to it"
                              : std::strerror(error));
  return std::nullopt;
}

}  // namespace berth::copy
