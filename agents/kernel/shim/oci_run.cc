#include "agents/kernel/shim/oci_run.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "agents/kernel/shim/disk.h"
#include "agents/kernel/shim/id_map.h"
#include "agents/kernel/shim/layer.h"
#include "agents/kernel/shim/system.h"

namespace berth::agents::shim {
namespace {

// overlayfs reads its options up to ',' and lower layers up to ':'.
std::string escaped_option(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (c == ',' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string failed(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

// Puts a clone of the image over the image, in this process's mounts alone, that shows its files as the
// kernel's own. Empty: it did, else why not.
std::string map_image(const ShimSpec& spec) {
  std::string why;
  const Descriptor image(open(spec.lower.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!image) return failed("image");
  const Descriptor map = make_id_map({spec.image_base, spec.id_base, spec.id_count}, why);
  const Descriptor clone = map ? clone_folder(image.get(), map, true, why) : Descriptor();
  if (!clone) return "image with owners of its own: " + why;
  const bool placed =
      move_mount(clone.get(), "", image.get(), "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
  return placed ? "" : failed("image with owners of its own");
}

}  // namespace

std::string enter_own_mounts() {
  if (unshare(CLONE_NEWNS) != 0) return failed("unshare");
  // What the host unmounts goes from here too, and is held by no kernel that runs on; of ours it sees none.
  if (mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return failed("mounts of its own");
  return {};
}

std::string mount_overlay(const ShimSpec& spec, const KernelFiles& files, Descriptor disk) {
  if (!spec.disk.empty()) {
    std::string why;
    if (!disk) disk = mount_disk(spec.disk, why);
    if (disk) why = place_disk(disk, files.layers());
    if (!why.empty()) return why;
    if (!own_layer(files.layers(), spec.id_base)) return failed("layer");
  }
  if (spec.image_base != 0)
    if (std::string why = map_image(spec); !why.empty()) return why;
  const std::string options = "lowerdir=" + escaped_option(spec.lower) +
                              ",upperdir=" + escaped_option(files.layers() + "/upper") +
                              ",workdir=" + escaped_option(files.layers() + "/work");
  if (mount("overlay", spec.mount_point.c_str(), "overlay", MS_NODEV | MS_NOSUID, options.c_str()) != 0)
    return failed("overlay mount");
  return {};
}

namespace {

// crun refuses a hybrid cgroup tree. For itself alone it may as well be one of version 1: the shim goes on to
// see the machine's, where it looks for what is left of the kernel.
void hide_unified_tree() {
  const char* const unified = "/sys/fs/cgroup/unified";
  if (access(unified, F_OK) != 0 || unshare(CLONE_NEWNS) != 0) return;
  mount("tmpfs", unified, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=1m,mode=0755");
}

}  // namespace

void exec_runtime(const ShimSpec& spec, const KernelFiles& files, bool has_door) {
  const std::string log = files.in("runtime.log"), dir = files.dir(), pid_file = files.in("pid");
  const char* const argv[] = {spec.runtime.c_str(),
                              "--log",
                              log.c_str(),
                              "--log-format",
                              "json",
                              "--root",
                              spec.runtime_root.c_str(),
                              "run",
                              "--detach",
                              "--preserve-fds",
                              has_door ? "2" : "1",  // kExitFd, kDoorFd
                              "--bundle",
                              dir.c_str(),
                              "--pid-file",
                              pid_file.c_str(),
                              files.key.c_str(),
                              nullptr};
  if (spec.runtime.find("crun") != std::string::npos) hide_unified_tree();
  execvp(argv[0], const_cast<char* const*>(argv));  // NOLINT: exec takes what it does not change
}

std::int64_t runtime_pid(const KernelFiles& files) {
  const auto text = read_file(files.in("pid"), 64);
  return text ? std::strtoll(text->c_str(), nullptr, 10) : 0;
}

std::string runtime_error(const KernelFiles& files, const std::string& runtime, int status) {
  const auto text = read_file(files.in("runtime.log"), 1 << 20).value_or("");
  // Lines of {"level":"error","msg":"...",...}: the last msg, up to its closing quote.
  const std::size_t level = text.rfind("\"error\"");
  std::size_t from = level == std::string::npos ? text.rfind("\"msg\":\"") : text.find("\"msg\":\"", level);
  if (from == std::string::npos)
    return runtime + " gives no reason and " +
           (WIFSIGNALED(status) ? "ends by signal " + std::to_string(WTERMSIG(status))
                                : "exits with " + std::to_string(WEXITSTATUS(status)));
  from += 7;
  std::string message;
  for (std::size_t i = from; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    message += text[i];
  }
  return message;
}

InitRecord read_init_record(const std::string& path) {
  InitRecord record;
  const std::string text = read_file(path, 256).value_or("");
  record.started = text.starts_with("started\n");
  const std::size_t exited = text.rfind("\nexited "), signalled = text.rfind("\nsignalled ");
  if (exited != std::string::npos)
    record.wait_status = (std::atoi(text.c_str() + exited + 8) & 0xFF) << 8;
  else if (signalled != std::string::npos)
    record.wait_status = std::atoi(text.c_str() + signalled + 11) & 0x7F;
  return record;
}

namespace {

// The number after `name` in a file of lines "NAME NUMBER"; 0: the file has no such line.
long long count_in(const std::string& text, const std::string& name) {
  const std::size_t at = ("\n" + text).find("\n" + name + " ");
  return at == std::string::npos ? 0 : std::atoll(text.c_str() + at + name.size() + 1);
}

}  // namespace

// Version 2 counts how often the own limit left no memory, version 1 how often the limit was met.
MemoryKill memory_kill(const ShimSpec& spec) {
  const std::string events = read_file(spec.oom_file, 65536).value_or("");
  if (count_in(events, "oom_kill") == 0) return MemoryKill::kNone;
  constexpr std::string_view kVersion1 = "/memory.oom_control";
  if (!spec.oom_file.ends_with(kVersion1))
    return count_in(events, "oom") > 0 ? MemoryKill::kOwnLimit : MemoryKill::kAbove;
  const std::string folder = spec.oom_file.substr(0, spec.oom_file.size() - kVersion1.size());
  for (const char* file : {"/memory.failcnt", "/memory.memsw.failcnt"})
    if (std::atoll(read_file(folder + file, 64).value_or("0").c_str()) > 0) return MemoryKill::kOwnLimit;
  return MemoryKill::kAbove;
}

}  // namespace berth::agents::shim
