#include "agents/kernel/shim/log_writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "agents/kernel/shim/system.h"

namespace berth::agents::shim {

LogWriter::~LogWriter() {
  if (fd_ >= 0) close(fd_);
}

bool LogWriter::open(bool resume) {
  if (resume) {
    const LogSegments found = find_segments(files_);
    segment_ = std::max<std::int64_t>(found.end - 1, 0);
  }
  return !resume || open_segment();  // a new log begins with the first output: many kernels print nothing
}

bool LogWriter::open_segment() {
  if (fd_ >= 0) close(fd_);
  fd_ = ::open(files_.log(segment_).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  struct stat info {};
  used_ = fd_ >= 0 && fstat(fd_, &info) == 0 ? info.st_size : 0;
  return fd_ >= 0;
}

void LogWriter::append(std::string_view bytes) {
  while (!bytes.empty()) {
    if (used_ >= kLogSegment) {
      ++segment_;
      if (segment_ >= kLogSegments) unlink(files_.log(segment_ - kLogSegments).c_str());
      open_segment();
    }
    if (fd_ < 0 && !open_segment()) return;
    const std::string_view part = bytes.substr(0, static_cast<std::size_t>(kLogSegment - used_));
    if (!write_all(fd_, part)) {
      struct stat info {};  // offsets must go on matching the file, whatever part of it was written
      if (fstat(fd_, &info) == 0) used_ = info.st_size;
      return;
    }
    used_ += static_cast<std::int64_t>(part.size());
    bytes.remove_prefix(part.size());
  }
}

LogSegments find_segments(const KernelFiles& files) {
  // Nearly every log is one segment: look for that before reading a folder that may hold thousands.
  if (access(files.log(0).c_str(), F_OK) == 0 && access(files.log(1).c_str(), F_OK) != 0) return {0, 1};
  LogSegments found;
  DIR* dir = opendir((files.folders.data + "/logs").c_str());
  if (dir == nullptr) return found;
  const std::string prefix = files.key + ".log.";
  while (const dirent* entry = readdir(dir)) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(prefix)) continue;
    const std::int64_t number = std::strtoll(entry->d_name + prefix.size(), nullptr, 10);
    if (found.end == 0) found = {number, number + 1};
    found.first = std::min(found.first, number);
    found.end = std::max(found.end, number + 1);
  }
  closedir(dir);
  return found;
}

}  // namespace berth::agents::shim
