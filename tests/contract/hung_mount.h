// A mount that answers nobody, like one of NFS whose server is gone: who asks it for a file waits, and no
// signal ends that.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "events/base/files/descriptor.h"

namespace berth::agents::contract {

// Root's. In a mount namespace of the test's own (OwnMounts): whoever comes upon it hangs.
class HungMount {
 public:
  HungMount() : device_(open("/dev/fuse", O_RDWR | O_CLOEXEC)), end_(eventfd(0, EFD_CLOEXEC)) {
    char name[] = "/tmp/berth-hung-XXXXXX";
    place_ = mkdtemp(name);
    chmod(place_.c_str(), 0755);
    const std::string options =
        "fd=" + std::to_string(device_.get()) + ",rootmode=40000,user_id=0,group_id=0,allow_other";
    if (device_ && mount("hung", place_.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) == 0)
      server_ = std::thread([this] { serve(); });
  }
  ~HungMount() {
    let_go();
    umount2(place_.c_str(), MNT_DETACH);
    rmdir(place_.c_str());
  }
  HungMount(const HungMount&) = delete;
  HungMount& operator=(const HungMount&) = delete;

  bool is_there() const { return server_.joinable(); }
  std::string file() const { return place_ + "/file"; }
  int asked() const { return asked_; }
  // Whoever waits gets an error.
  void let_go() {
    if (!server_.joinable()) return;
    const std::uint64_t one = 1;
    EXPECT_EQ(write(end_.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
    server_.join();
    device_ = {};
  }

 private:
  void serve() {
    alignas(fuse_in_header) static std::array<char, 256 << 10> request;
    pollfd fds[] = {{device_.get(), POLLIN, 0}, {end_.get(), POLLIN, 0}};
    while (poll(fds, 2, -1) > 0 && fds[1].revents == 0) {
      const ssize_t got = read(device_.get(), request.data(), request.size());
      if (got < static_cast<ssize_t>(sizeof(fuse_in_header))) continue;
      const auto& header = *reinterpret_cast<const fuse_in_header*>(request.data());
      if (header.opcode != FUSE_INIT) {
        ++asked_;
        continue;
      }
      struct {
        fuse_out_header header{};
        fuse_init_out init{};
      } answer;
      answer.header.len = sizeof answer;
      answer.header.unique = header.unique;
      answer.init.major = FUSE_KERNEL_VERSION;
      answer.init.minor = FUSE_KERNEL_MINOR_VERSION;
      answer.init.max_write = 4096;
      EXPECT_EQ(write(device_.get(), &answer, sizeof answer), static_cast<ssize_t>(sizeof answer));
    }
  }

  std::string place_;
  Descriptor device_, end_;
  std::atomic<int> asked_ = 0;
  std::thread server_;
};

}  // namespace berth::agents::contract
