#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "agents/kernel/kernel_kind.h"
#include "agents/kernel/shim/own_cgroup.h"

namespace berth::agents {
namespace {

class ProcessKind final : public KernelKind {
 public:
  explicit ProcessKind(ProcessKindConfig config) : config_(std::move(config)) {
    if (config_.cgroup.empty()) return;
    if (mkdir(config_.cgroup.c_str(), 0755) != 0 && errno != EEXIST) config_.cgroup.clear();
  }
  ~ProcessKind() override {
    if (!config_.cgroup.empty()) rmdir(config_.cgroup.c_str());  // stays while kernels are in it
  }

  const char* name() const override { return "process"; }
  bool needs_image() const override { return false; }
  bool has_networks() const override { return false; }

  // Nobody keeps a process from writing more: this is what there is at all.
  Result<Amount> disk_capacity(const std::string& data) override {
    struct statvfs disk {};
    if (statvfs(data.c_str(), &disk) != 0) return Amount{0};
    return static_cast<Amount>(disk.f_blocks) * static_cast<Amount>(disk.f_frsize);
  }

  Result<PreparedKernel> prepare(const KernelSpec& spec, const std::string&,
                                 const shim::KernelFiles& files) override {
    if (spec.disk > 0 && spec.disk_slot == 0)  // a bound that is no amount of a slot
      return make_error("disk-bound-unsupported",
                        "the group bounds what a kernel writes, and this agent's kernels are processes",
                        "agents of containers keep such a bound; or: berth group set GROUP --disk none");
    if (!spec.mounts.empty())
      return make_error(
          "folder-not-mountable",
          "this agent's kernels are processes, which have no folder '" + spec.mounts[0].target + "'",
          "agents of containers mount folders");
    PreparedKernel prepared;
    shim::ShimSpec& out = prepared.spec;
    out.init = config_.init_path;
    out.args = spec.command;
    out.env = environment_of(spec);
    out.env.push_back(shim::environment_mark(files.key));
    if (!config_.cgroup.empty()) out.cgroups = {config_.cgroup + "/" + files.key};
    const std::string home = files.folders.home();
    // Another user cannot reach it by its path, and begins in it.
    const bool names_home = std::any_of(spec.env.begin(), spec.env.end(),
                                        [](const auto& entry) { return entry.first == "HOME"; });
    if (!config_.user && !names_home) out.env.push_back("HOME=" + home);
    if (!config_.user) return prepared;
    out.uid = config_.user->uid;
    out.gid = config_.user->gid;
    if (lchown(home.c_str(), out.uid, out.gid) != 0)
      return make_error("data-folder", "cannot give " + home + " to its user: " + std::strerror(errno));
    return prepared;
  }

  bool end_leftovers(const std::string& kernel) override {
    const bool gone = config_.cgroup.empty() || shim::remove_cgroup_tree(config_.cgroup + "/" + kernel);
    for (int round = 0; shim::kill_marked(kernel); ++round) {
      if (round == 20) return false;
      usleep(100'000);
    }
    return gone;
  }

 private:
  ProcessKindConfig config_;
};

}  // namespace

std::vector<std::string> environment_of(const KernelSpec& spec) {
  std::vector<std::string> env;
  bool has_path = false, has_hostname = false;
  for (const auto& [name, value] : spec.env) {
    has_path |= name == "PATH";
    has_hostname |= name == "HOSTNAME";
    env.push_back(name + "=" + value);
  }
  if (!has_path) env.push_back("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  if (!has_hostname) env.push_back("HOSTNAME=" + spec.hostname);
  return env;
}

std::unique_ptr<KernelKind> make_process_kind(ProcessKindConfig config) {
  return std::make_unique<ProcessKind>(std::move(config));
}

}  // namespace berth::agents
