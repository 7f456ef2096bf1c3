#include "agents/kernel/shim/disk.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace berth::agents::shim {
namespace {

constexpr int kTriesMax = 64;  // others take loop devices at the same time

// A loop device over the file, open; -1: errno says why.
int open_loop(int file, std::string& device) {
  const int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
  if (control < 0) return -1;
  int loop = -1;
  for (int i = 0; loop < 0 && i < kTriesMax; ++i) {
    const int number = ioctl(control, LOOP_CTL_GET_FREE);
    if (number < 0) break;
    device = "/dev/loop" + std::to_string(number);
    loop = open(device.c_str(), O_RDWR | O_CLOEXEC);
    if (loop < 0) break;
    loop_config config{};
    config.fd = static_cast<__u32>(file);
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    if (ioctl(loop, LOOP_CONFIGURE, &config) == 0) break;
    const int why = errno;
    close(loop);
    loop = -1;
    errno = why;
    if (why != EBUSY) break;
  }
  const int why = errno;
  close(control);
  errno = why;
  return loop;
}

}  // namespace

std::string mount_disk(const std::string& file, const std::string& folder) {
  std::string device;
  const int image = open(file.c_str(), O_RDWR | O_CLOEXEC);
  const int loop = image < 0 ? -1 : open_loop(image, device);
  if (loop < 0) {
    const std::string why = std::strerror(errno);
    if (image >= 0) close(image);
    return "no loop device for " + file + ": " + why;
  }
  const bool mounted =
      mount(device.c_str(), folder.c_str(), "ext4", MS_NODEV | MS_NOSUID | MS_NOATIME, nullptr) == 0;
  const std::string why = std::strerror(errno);
  close(image);
  close(loop);
  return mounted ? "" : "mount of " + file + ": " + why;
}

}  // namespace berth::agents::shim
