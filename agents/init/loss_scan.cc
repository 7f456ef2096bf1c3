#include "agents/init/loss_scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "events/base/files/descriptor.h"

namespace berth::init {
namespace {

using inside::kLossNumberMax;
using inside::kLossPathMax;

constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

// What is behind `name` in the folder, or behind the folder itself (""). False: errno says why not.
bool look(int folder, const char* name, struct statx& about) {
  const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH;
  return statx(folder, name, flags, STATX_BASIC_STATS | STATX_MNT_ID, &about) == 0;
}

std::int64_t changed_at(const struct statx& about) {
  return about.stx_ctime.tv_sec * kSecond + about.stx_ctime.tv_nsec;
}

std::uint64_t device_of(const struct statx& about) {
  return std::uint64_t{about.stx_dev_major} << 32 | about.stx_dev_minor;
}

// A file with holes is not lost where it has none of the disk.
std::uint64_t bytes_of(const struct statx& about) {
  constexpr std::uint64_t kBlock = 512;
  const std::uint64_t on_disk = std::min<std::uint64_t>(about.stx_blocks, kLossNumberMax / kBlock) * kBlock;
  return std::min<std::uint64_t>(about.stx_size, on_disk);
}

bool is_dots(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

// Of a path below the home.
bool is_hidden(std::string_view path) {
  return path.starts_with('.') || path.find("/.") != std::string_view::npos;
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// A folder that is being read.
struct Level {
  std::unique_ptr<DIR, CloseFolder> folder;
  std::size_t path_size = 0;  // of its path, with the slash behind it
  bool changed = false;       // since the kernel's start
};

// A file that may be named, and what decides about it.
struct Named {
  int rank = 0;  // 0: of the home, 1: below a hidden folder of it, 2: elsewhere
  std::int64_t changed_at = 0;
  inside::LossEntry entry;

  bool is_before(const Named& other) const {
    return rank != other.rank ? rank < other.rank : changed_at > other.changed_at;
  }
};

// By device and number.
using FileId = std::pair<std::uint64_t, std::uint64_t>;
FileId id_of(const struct statx& about) { return {device_of(about), about.stx_ino}; }

class Scan {
 public:
  Scan(const LossGround& ground, const LossLimits& limits)
      : ground_(ground), limits_(limits), until_(monotonic_now() + limits.time) {}

  Losses run();

 private:
  void walk(const std::string& top, bool of_home);
  void enter(Descriptor folder);
  void take(const char* name);
  void take_folder(int parent, const char* name, const struct statx& about);
  void count(const struct statx& about);
  void name(const struct statx& about, std::uint64_t bytes);
  bool is_here(const struct statx& about) const;
  bool is_changed(const struct statx& about) const { return changed_at(about) >= ground_.since; }
  void miss(int error, bool changed);
  void stop();

  const LossGround& ground_;
  const LossLimits& limits_;
  const std::int64_t until_;
  struct statx root_ {};
  std::uint64_t entries_ = 0;
  bool stopped_ = false;
  bool of_home_ = false;      // what is being walked
  std::size_t top_size_ = 0;  // of the path of what is being walked
  std::string path_;          // of the child at hand
  std::vector<Level> levels_;
  std::set<FileId> walked_;  // tops
  std::set<FileId> links_;   // that were counted
  inside::LossSum sum_;
  std::vector<Named> named_;
};

// A file system that tells no mounts (Linux before 5.8) tells devices, of folders truly.
bool Scan::is_here(const struct statx& about) const {
  if ((about.stx_mask & root_.stx_mask & STATX_MNT_ID) != 0) return about.stx_mnt_id == root_.stx_mnt_id;
  return !S_ISDIR(about.stx_mode) || device_of(about) == device_of(root_);
}

// What was removed meanwhile is not lost with the kernel. Where nothing was changed, nothing is.
void Scan::miss(int error, bool changed) {
  if (error != ENOENT && (changed || error != EACCES)) sum_.complete = false;
}

void Scan::stop() {
  stopped_ = true;
  sum_.complete = false;
}

void Scan::enter(Descriptor folder) {
  struct statx about;
  if (!look(folder.get(), "", about)) return miss(errno, true);
  if (!is_here(about) || walked_.contains(id_of(about))) return;
  std::unique_ptr<DIR, CloseFolder> opened(fdopendir(folder.get()));
  if (!opened) return miss(errno, true);
  folder.release();
  levels_.push_back({std::move(opened), path_.size(), is_changed(about)});
}

void Scan::take_folder(int parent, const char* name, const struct statx& about) {
  if (levels_.size() >= limits_.depth) return miss(ELOOP, true);
  Descriptor folder(openat(parent, name, kOpenFolder));
  if (!folder) return miss(errno, is_changed(about));
  path_ += '/';
  enter(std::move(folder));
}

void Scan::take(const char* name) {
  if (entries_++ >= limits_.entries || monotonic_now() > until_) return stop();
  const Level& level = levels_.back();
  const int parent = dirfd(level.folder.get());
  path_ += name;
  struct statx about;
  if (!look(parent, name, about)) return miss(errno, level.changed);
  if (!is_here(about)) return;
  if (S_ISDIR(about.stx_mode)) return take_folder(parent, name, about);
  if (S_ISREG(about.stx_mode) && is_changed(about)) count(about);
}

void Scan::count(const struct statx& about) {
  if (about.stx_nlink > 1 && !links_.contains(id_of(about))) {
    if (links_.size() >= limits_.links) return miss(ENOBUFS, true);
    links_.insert(id_of(about));
  } else if (about.stx_nlink > 1) {
    return;
  }
  const std::uint64_t bytes = bytes_of(about);
  ++sum_.files;
  sum_.bytes += std::min(bytes, kLossNumberMax - sum_.bytes);
  name(about, bytes);
}

// Keeps the first of those that may be named.
void Scan::name(const struct statx& about, std::uint64_t bytes) {
  if (path_.size() > kLossPathMax) return;
  Named named{2, changed_at(about), {path_, bytes}};
  if (of_home_) named.rank = is_hidden(std::string_view(path_).substr(top_size_)) ? 1 : 0;
  const auto at = std::find_if(named_.begin(), named_.end(),
                               [&named](const Named& other) { return named.is_before(other); });
  named_.insert(at, std::move(named));
  if (named_.size() > limits_.named) named_.pop_back();
}

void Scan::walk(const std::string& top, bool of_home) {
  // The top itself may be a link: the image chose it.
  Descriptor folder(open(top.c_str(), kOpenFolder & ~O_NOFOLLOW));
  struct statx about;
  // Below the root it is come across once more, and judged then.
  if (!folder || !look(folder.get(), "", about)) return miss(errno, top == ground_.root);
  of_home_ = of_home;
  path_ = top == "." ? "" : top.back() == '/' ? top : top + "/";
  top_size_ = path_.size();
  enter(std::move(folder));
  walked_.insert(id_of(about));
  while (!levels_.empty() && !stopped_) {
    path_.resize(levels_.back().path_size);
    errno = 0;
    const dirent* const found = readdir(levels_.back().folder.get());
    if (found == nullptr) {
      if (errno != 0) miss(errno, true);
      levels_.pop_back();
    } else if (!is_dots(found->d_name)) {
      take(found->d_name);
    }
  }
  levels_.clear();
}

Losses Scan::run() {
  if (statx(AT_FDCWD, ground_.root.c_str(), AT_NO_AUTOMOUNT, STATX_BASIC_STATS | STATX_MNT_ID, &root_) != 0) {
    stop();
  } else {
    for (const std::string& top : ground_.first) walk(top, &top == &ground_.first.front());
    walk(ground_.root, ground_.first.empty());
  }
  Losses losses{sum_, {}};
  for (Named& named : named_) losses.named.push_back(std::move(named.entry));
  return losses;
}

}  // namespace

Losses find_losses(const LossGround& ground, const LossLimits& limits) { return Scan(ground, limits).run(); }

}  // namespace berth::init
