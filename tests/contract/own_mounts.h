// A mount namespace of a test's own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>

#include "events/base/files/descriptor.h"

namespace berth::agents::contract {

// For the thread that makes it, and for all that this starts, until it is gone. REQUIRES: root, and no other
// thread of this process uses this one's current folder or umask.
class OwnMounts {
 public:
  OwnMounts() : before_(open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC)) {
    EXPECT_EQ(unshare(CLONE_NEWNS), 0);
    EXPECT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
  }
  ~OwnMounts() {
    // A thread that was waited for may share our folder for a moment longer, and is refused as if it ran.
    int back = setns(before_.get(), CLONE_NEWNS);
    for (int i = 0; back != 0 && errno == EINVAL && i < 1'000; ++i) {
      usleep(5'000);
      back = setns(before_.get(), CLONE_NEWNS);
    }
    EXPECT_EQ(back, 0) << "the tests after this one have its mounts";
  }
  OwnMounts(const OwnMounts&) = delete;
  OwnMounts& operator=(const OwnMounts&) = delete;

 private:
  Descriptor before_;
};

}  // namespace berth::agents::contract
