// An open file or folder, closed with its owner. Standard library only.
#pragma once

#include <unistd.h>

#include <utility>

namespace berth::copy {

class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(int fd) : fd_(fd) {}
  OpenFile(OpenFile&& other) noexcept : fd_(other.release()) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }  // -1: none
  explicit operator bool() const { return fd_ >= 0; }
  // It is another's to close now.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace berth::copy
