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

// A loop device over the file, open, and its path; none: errno says why.
Descriptor open_loop(const Descriptor& file, std::string& device) {
  const Descriptor control(open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  for (int i = 0; control && i < kTriesMax; ++i) {
    const int number = ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) break;
    device = "/dev/loop" + std::to_string(number);
    Descriptor loop(open(device.c_str(), O_RDWR | O_CLOEXEC));
    if (!loop) break;
    loop_config config{};
    config.fd = static_cast<__u32>(file.get());
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    if (ioctl(loop.get(), LOOP_CONFIGURE, &config) == 0) return loop;
    if (errno != EBUSY) break;
  }
  return {};
}

}  // namespace

Descriptor mount_disk(const std::string& file, std::string& why) {
  std::string device;
  const Descriptor image(open(file.c_str(), O_RDWR | O_CLOEXEC));
  const Descriptor loop = image ? open_loop(image, device) : Descriptor();
  if (!loop) {
    why = "no loop device for " + file + ": " + std::strerror(errno);
    return {};
  }
  const Descriptor type(fsopen("ext4", FSOPEN_CLOEXEC));
  // Who zeroes inode tables later makes holes in the file, and others take what was promised.
  if (type && fsconfig(type.get(), FSCONFIG_SET_STRING, "source", device.c_str(), 0) == 0 &&
      fsconfig(type.get(), FSCONFIG_SET_FLAG, "noinit_itable", nullptr, 0) == 0 &&
      fsconfig(type.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0) {
    Descriptor mount(
        fsmount(type.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOATIME));
    if (mount) return mount;
  }
  why = "mount of " + file + ": " + std::strerror(errno);
  return {};
}

std::string place_disk(const Descriptor& mount, const std::string& folder) {
  if (move_mount(mount.get(), "", AT_FDCWD, folder.c_str(), MOVE_MOUNT_F_EMPTY_PATH) == 0) return "";
  return "mount at " + folder + ": " + std::strerror(errno);
}

}  // namespace berth::agents::shim
