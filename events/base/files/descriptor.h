// An open file descriptor, closed with its owner: a file, a folder, a socket, a mount. For edges only; the
// lint keeps pure folders from including this header. Standard library only, so that static programs have it
// too.
#pragma once

#include <unistd.h>

#include <utility>

namespace berth {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }  // -1: none
  explicit operator bool() const { return fd_ >= 0; }
  // It is another's to close now.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace berth
