#include "agents/kernel/sweep.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "agents/kernel/kernel_name.h"
#include "agents/kernel/shim/remove_tree.h"

namespace berth::agents {
namespace fs = std::filesystem;
namespace {

bool is_known(const shim::Folders& folders, const std::string& kernel) {
  const shim::KernelFiles files{folders, kernel};
  return access(files.dir().c_str(), F_OK) == 0 || access(files.exit().c_str(), F_OK) == 0 ||
         access(files.state().c_str(), F_OK) == 0;
}

bool written_before(const std::string& path, Timestamp wall) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec < wall;
}

// Visits the entries of data/NAME that are a kernel's, until `stop`. The kernel's name ends before `end`.
template <class Visit>
void each_kernels(const std::string& folder, const char* end, const std::atomic<bool>& stop, Visit visit) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (stop) return;
    const std::string name = entry.path().filename();
    const std::string kernel = name.substr(0, name.find(end));
    if (parse_kernel_name(kernel)) visit(kernel, entry.path().string());
  }
}

}  // namespace

void sweep(const shim::Folders& folders, Timestamp logs_before, const std::atomic<bool>& stop) {
  each_kernels(folders.data + "/layers", "/", stop, [&](const std::string& kernel, const std::string& path) {
    if (access(shim::KernelFiles{folders, kernel}.dir().c_str(), F_OK) != 0) shim::remove_tree(path);
  });
  each_kernels(folders.disks(), ".img", stop, [&](const std::string& kernel, const std::string& path) {
    if (access(shim::KernelFiles{folders, kernel}.dir().c_str(), F_OK) != 0) unlink(path.c_str());
  });
  each_kernels(folders.data + "/logs", ".log.", stop,
               [&](const std::string& kernel, const std::string& path) {
                 if (!is_known(folders, kernel) && written_before(path, logs_before)) unlink(path.c_str());
               });
}

}  // namespace berth::agents
