#include "agents/kernel/shim/id_map.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "agents/kernel/shim/system.h"

namespace berth::agents::shim {
namespace {

std::string with_errno(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

// Told as what it is: else people look for the fault in a file system.
std::string no_namespace() {
  if (errno != ENOSPC) return with_errno("this machine makes no user namespace");
  const std::string most = read_file("/proc/sys/user/max_user_namespaces", 32).value_or("?");
  return "this machine makes no more user namespaces: user.max_user_namespaces is " +
         most.substr(0, most.find('\n'));
}

// A child in a user namespace of its own, which ends when the other end of this pipe is closed, so with us at
// the latest. It has nothing else of ours open: a lock that it kept would outlive us. Bare system calls:
// there may be other threads. Its end sends no signal: nobody but make_id_map() is to hear of it.
pid_t spawn_in_namespace(int pipe) {
  clone_args how{};
  how.flags = CLONE_NEWUSER;
  const pid_t child = static_cast<pid_t>(syscall(SYS_clone3, &how, sizeof how));
  if (child != 0) return child;
  if (pipe != 0) syscall(SYS_close_range, 0, pipe - 1, 0);
  syscall(SYS_close_range, pipe + 1, ~0U, 0);
  char end = 0;
  syscall(SYS_read, pipe, &end, 1);
  syscall(SYS_exit_group, 0);
  __builtin_unreachable();
}

bool write_map(const std::string& path, const std::string& line) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file && write(file.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

}  // namespace

Descriptor make_id_map(const IdRange& range, std::string& why) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    why = with_errno("no pipe");
    return {};
  }
  const Descriptor near(ends[0]), far(ends[1]);
  const pid_t child = spawn_in_namespace(near.get());
  if (child < 0) {
    why = no_namespace();
    return {};
  }
  const std::string process = "/proc/" + std::to_string(child) + "/";
  const std::string line = std::to_string(range.disk) + " " + std::to_string(range.host) + " " +
                           std::to_string(range.count) + "\n";
  Descriptor map;
  if (write_map(process + "uid_map", line) && write_map(process + "gid_map", line))
    map = Descriptor(open((process + "ns/user").c_str(), O_RDONLY | O_CLOEXEC));
  if (!map) why = with_errno("no map of ids");
  kill(child, SIGKILL);
  waitpid(child, nullptr, __WALL);
  return map;
}

Descriptor clone_folder(int folder, const Descriptor& id_map, bool read_only, std::string& why) {
  Descriptor clone(open_tree(folder, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (!clone) {
    why = with_errno("cannot be cloned");
    return {};
  }
  mount_attr set{};
  set.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (read_only ? MOUNT_ATTR_RDONLY : 0);
  set.attr_clr = MOUNT_ATTR_NOEXEC;
  set.propagation = MS_PRIVATE;
  if (id_map) {
    set.attr_set |= MOUNT_ATTR_IDMAP;
    set.userns_fd = static_cast<std::uint64_t>(id_map.get());
  }
  if (mount_setattr(clone.get(), "", AT_EMPTY_PATH, &set, sizeof set) == 0) return clone;
  // What a file system answers that lacks it.
  why = id_map && errno == EINVAL ? "its file system takes no idmapped mounts" : with_errno("mount_setattr");
  return {};
}

}  // namespace berth::agents::shim
