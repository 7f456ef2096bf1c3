// A kernel's files in the fast folder, which somebody may remove while the kernel runs. See shim.h.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "agents/kernel/shim/door.h"
#include "agents/kernel/shim/shim.h"
#include "agents/kernel/shim/system.h"

namespace berth::agents::shim {
namespace {

bool is_there(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

bool make_folder(const std::string& path) { return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST; }

// As fast_folder_for() and the backend make them.
bool make_folders(const Folders& folders) {
  const std::string& fast = folders.fast;
  if (!make_folder(fast) || !make_folder(fast + "/kernels") || !make_folder(fast + "/run")) return false;
  const std::string name = fast + kNameOfData;
  if (fast == folders.data || is_there(name)) return true;
  return is_own_closed_folder(fast) && write_aside(name, fast + "/.data-folder", folders.data);
}

}  // namespace

void Shim::open_init() {
  if (spec_.oci) init_ = Descriptor(open(files_.in("init").c_str(), O_RDONLY | O_CLOEXEC));
}

std::string Shim::init_file() const {
  return init_ ? "/proc/self/fd/" + std::to_string(init_.get()) : files_.in("init");
}

bool Shim::keep_files() {
  if (is_there(files_.in("lock")) && is_there(files_.state())) return true;
  // Whoever removes the data folder too, or mounts another one there, has no use for them.
  if (!is_there(files_.folders.claims()) || !make_folders(files_.folders)) return false;
  // The record first: an agent takes a folder without one for that of a kernel that never ran.
  if (!write_aside(files_.state(), files_.folders.fast + "/run/." + files_.key, encode(state_))) return false;
  const bool whole = !is_there(files_.dir());
  if (!(whole ? make_dir() : fill(files_.dir()))) return false;
  write_state();  // once more: the agent hears of it, and asks again what it had asked
  fprintf(stderr, "berth-shim: files of %s were removed while it ran; they are made again\n",
          files_.key.c_str());
  if (whole) make_door_again();
  return true;
}

// Under another name until it is whole: nobody finds it without its lock.
bool Shim::make_dir() {
  const std::string aside = files_.folders.fast + "/kernels/." + files_.key;
  return make_folder(aside) && fill(aside) && rename(aside.c_str(), files_.dir().c_str()) == 0;
}

bool Shim::fill(const std::string& dir) {
  if (!is_there(dir + "/lock")) {
    const int lock = take_lock(dir + "/lock");
    if (lock < 0) return false;
    close(lock_);
    lock_ = lock;
  }
  if (!is_there(dir + "/spec") && !write_aside(dir + "/spec", dir + "/spec.new", encode(spec_))) return false;
  if (!init_ || is_there(dir + "/init")) return true;
  return write_aside(dir + "/init", dir + "/init.new", read_file(init_file(), 256).value_or(""));
}

// A process kernel's helper is started with the new one. A container's init has the old one for good, at
// which nobody can knock any more.
void Shim::make_door_again() {
  if (spec_.oci) {
    log_.append("berth: files of this kernel were removed from " + files_.folders.fast +
                ". Its program goes on; nobody can come into it any more.\n");
    return;
  }
  door_ = make_door(files_.in("door"));
  if (helper_) signal_pidfd(helper_.get(), SIGKILL);
}

}  // namespace berth::agents::shim
