#include "agents/kernel/claims.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "agents/kernel/shim/system.h"
#include "events/base/hash.h"

namespace berth::agents {
namespace {

std::string line_of(char sign, const std::string& name) {
  const std::string text = sign + name;
  return text + " " + std::to_string(crc32c(text)) + "\n";
}

}  // namespace

Claims::~Claims() {
  if (fd_ >= 0) close(fd_);
}

Result<void> Claims::open(const std::string& path) {
  path_ = path;
  const auto before = shim::read_file(path, 64 << 20);
  std::istringstream text(before.value_or(""));
  std::string entry, crc;
  while (text >> entry >> crc) {
    if (entry.size() < 2 || std::to_string(crc32c(entry)) != crc) continue;
    const std::string name = entry.substr(1);
    if (entry[0] == '+')
      names_.insert(name);
    else
      names_.erase(name);
    if (entry[0] == '~') keep_forgotten(name);
  }
  if (rewrite()) return {};
  const int failed = errno;
  if (before && append_to(*before)) return {};
  return make_error("data-folder", "cannot write " + path + ": " + std::strerror(failed),
                    "is the disk full?");
}

// The ledger as it is, where the disk has no room for a new one: kernels that run are followed, and none is
// started before sync() succeeds.
bool Claims::append_to(const std::string& before) {
  if (!before.empty() && before.back() != '\n') return false;  // a line would go on where another was cut
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_APPEND);
  lines_ = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  return fd_ >= 0;
}

bool Claims::rewrite() {
  std::string all;
  for (const std::string& name : order_) all += line_of('~', name);
  for (const std::string& name : names_) all += line_of('+', name);
  const std::string aside = path_ + ".new";
  const int fd = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0600);
  if (fd < 0) return false;
  // Its name, too: an older ledger after a power failure would let kernels run twice.
  if (!shim::write_all(fd, all) || fdatasync(fd) != 0 || rename(aside.c_str(), path_.c_str()) != 0 ||
      !shim::sync_folder(path_.substr(0, path_.rfind('/')))) {
    close(fd);
    return false;
  }
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
  lines_ = names_.size() + order_.size();
  pending_.clear();
  torn_ = false;
  return true;
}

void Claims::put(char sign, const std::string& name) {
  pending_ += line_of(sign, name);
  ++lines_;
}

void Claims::add(const std::string& name) {
  if (!names_.insert(name).second) return;
  put('+', name);
  unsynced_ = true;
}

void Claims::remove(const std::string& name) {
  if (names_.erase(name) > 0) put('-', name);
}

std::string Claims::keep_forgotten(const std::string& name) {
  if (!forgotten_.insert(name).second) return {};
  order_.push_back(name);
  if (order_.size() <= kForgottenMax) return {};
  std::string oldest = std::move(order_.front());
  order_.pop_front();
  forgotten_.erase(oldest);
  return oldest;
}

std::string Claims::forget(const std::string& name) {
  const bool claimed = names_.erase(name) > 0;
  if (claimed || !forgotten_.contains(name)) put('~', name);
  return keep_forgotten(name);
}

bool Claims::sync() {
  if (pending_.empty()) return true;
  if (torn_ || (lines_ > 4096 && lines_ > 4 * (names_.size() + order_.size()))) {
    if (!rewrite()) return false;
  } else {
    torn_ = !shim::write_all(fd_, pending_);  // a part of a line may be there now: begin a new file
    if (torn_) return rewrite();
    pending_.clear();
    if (unsynced_ && fdatasync(fd_) != 0) return false;
  }
  unsynced_ = false;
  return true;
}

}  // namespace berth::agents
