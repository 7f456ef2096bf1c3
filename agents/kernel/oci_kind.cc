#include "agents/kernel/kernel_kind.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>

#include "agents/kernel/cgroup_layout.h"
#include "agents/kernel/disk_pool.h"
#include "agents/kernel/host/given_ids.h"
#include "agents/kernel/host/ipv6_loopback.h"
#include "agents/kernel/host/programs.h"
#include "agents/kernel/id_ranges.h"
#include "agents/kernel/kernel_name.h"
#include "agents/kernel/oci_config.h"
#include "agents/kernel/shim/id_map.h"
#include "agents/kernel/shim/layer.h"
#include "agents/kernel/shim/own_cgroup.h"
#include "agents/kernel/shim/system.h"
#include "agents/kernel/trial/bare_image.h"
#include "agents/kernel/trial/kept.h"
#include "events/base/edge_errors.h"

namespace berth::agents {
namespace json = boost::json;
namespace {

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

void write_text(const std::string& path, std::string_view text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  shim::write_all(fd, text);
  close(fd);
}

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// What the shim takes for granted. The rules for names are stricter where a session is asked for.
Result<void> check_folders(const std::vector<FolderMount>& mounts) {
  if (std::ranges::count(mounts, false, &FolderMount::automatic) >
      static_cast<std::ptrdiff_t>(kFolderMountsMax))
    return make_error("folder-not-mountable",
                      "a kernel has at most " + std::to_string(kFolderMountsMax) + " folders");
  for (const FolderMount& mount : mounts) {
    const bool good_folder =
        mount.folder.size() == 32 && std::all_of(mount.folder.begin(), mount.folder.end(), is_hex);
    const bool plain_target = !mount.target.empty() && mount.target[0] != '.' && mount.target.size() <= 255 &&
                              mount.target.find_first_of(std::string_view("/ \n\0", 4)) == std::string::npos;
    const bool good_target = mount.automatic ? mount.target == kAutomaticTarget : plain_target;
    if (!good_folder || !good_target || !mount.volume_root.starts_with('/'))
      return make_error("folder-not-mountable",
                        "the folder '" + mount.folder + "' cannot be mounted as '" + mount.target + "'");
  }
  return {};
}

// Whether the file system can show what lies there with other owners. Code: no-user-namespaces.
Result<bool> maps_owners(const std::string& folder) {
  std::string why;
  const Descriptor at(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Descriptor map = shim::make_id_map({kImagesIdsBase, kKernelIdsBase, 1}, why);
  if (!map) return make_error("no-user-namespaces", "no container can start: " + why, kUserNamespacesHint);
  return at && shim::clone_folder(at.get(), map, true, why);
}

// Shells and services have this of systemd's by turns: a kernel's is one number.
constexpr std::uint64_t kLockedHard = 8 << 20;

// The launcher cannot give more than it has, which is what the agent has.
std::uint64_t own_limit(__rlimit_resource_t what, std::uint64_t most) {
  rlimit own{};
  return getrlimit(what, &own) == 0 ? std::min<std::uint64_t>(own.rlim_max, most) : most;
}

// Looked at for each start: an operator may change the limit at any time, and an image whose owners were
// mapped once is not tried again.
Result<void> check_namespaces() {
  const auto most = shim::read_file("/proc/sys/user/max_user_namespaces", 32);
  if (!most || *most != "0\n") return {};
  return make_error("no-user-namespaces", "no container can start: user.max_user_namespaces is 0",
                    kUserNamespacesHint);
}

struct KnownImage {
  ImageProcess process;
  bool maps_owners = false;
};

class OciKind final : public KernelKind {
 public:
  OciKind(OciKindConfig config, CgroupLayout cgroups, std::unique_ptr<DiskPool> disks)
      : config_(std::move(config)),
        cgroups_(std::move(cgroups)),
        disks_(std::move(disks)),
        id_ranges_(config_.id_count),
        group_(agent_cgroup(cgroups_, config_.folders.data)) {
    for (const GivenIds& given : read_given_ids()) id_ranges_.avoid(given.first, given.last);
    id_ranges_.avoid(config_.id_base, config_.id_base + config_.id_count - 1);
    if (const std::int64_t most = kernel_pids_max(); most > 0) pids_max_ = static_cast<std::uint32_t>(most);
    // The scope of systemd is made, bounded and removed by the launcher and by systemd.
    if (!in_scope()) make_group();
  }
  ~OciKind() override {
    for (const std::string& folder : cgroups_.folders(group_)) {
      rmdir((folder + "/shims").c_str());
      if (!in_scope()) rmdir(folder.c_str());  // stays while kernels are in it
    }
  }

  const char* name() const override { return "oci"; }
  bool needs_image() const override { return true; }
  bool has_networks() const override { return true; }
  Result<Amount> disk_capacity(const std::string&) override { return disks_->capacity(); }

  bool end_leftovers(const std::string& kernel) override {
    bool gone = true;
    for (const std::string& folder : cgroups_.folders(group_ + "/" + kernel))
      gone = shim::remove_cgroup_tree(folder) && gone;
    return gone;
  }

  Result<PreparedKernel> prepare(const KernelSpec& spec, const std::string& rootfs,
                                 const shim::KernelFiles& files) override {
    // It may have been moved, by an upgrade too, or be gone.
    auto runtime = runtime_for(config_.runtime);
    if (!runtime.ok()) return runtime.error();
    if (auto good = check_namespaces(); !good.ok()) return good.error();
    struct stat info {};
    if (rootfs.empty() || stat(rootfs.c_str(), &info) != 0)
      return make_error("image-missing", "the image " + spec.image + " is not unpacked on this agent");
    const auto found_image = image_of(rootfs);
    if (!found_image.ok()) return found_image.error();
    const KnownImage* const image = *found_image;
    if (image == nullptr)
      return make_error("image-missing", "the image " + spec.image + " is not whole on this agent");
    const std::string mount_point = mount_point_beside(rootfs);
    if (mount_point.empty())
      return make_error("no-mount-point", "none of /mnt, /media, /srv, /opt, /home can be used");
    if (auto good = check_folders(spec.mounts); !good.ok()) return good.error();
    const auto id_base = ids_for(spec, *image, files.key);
    if (!id_base.ok()) return id_base.error();
    PreparedKernel prepared;
    shim::ShimSpec& out = prepared.spec;
    out.oci = true;
    out.uid = *id_base + image->process.uid;
    out.gid = *id_base + image->process.gid;
    out.id_base = *id_base;
    out.id_count = config_.id_count;
    if (*id_base != config_.id_base) out.image_base = config_.id_base;
    for (const FolderMount& mount : spec.mounts)
      out.folders.push_back({mount.volume_root, mount.folder, mount.target, mount.read_only, mount.shared_ids,
                             mount.automatic});
    out.init = config_.init_path;
    out.runtime = std::move(*runtime);
    out.runtime_root = config_.folders.fast + "/runtime";
    out.lower = rootfs;
    out.mount_point = mount_point;
    const std::string key_path = group_ + "/" + files.key, cgroup_path = key_path + "/kernel";
    out.cgroups = cgroups_.folders(key_path);
    out.oom_file = cgroups_.oom_file(cgroup_path);
    if (!cgroups_.cpu_root.empty()) out.cpu_cgroup = cgroups_.cpu_root + key_path;
    OciSettings settings{mount_point,
                         config_.init_path,
                         files.dir(),
                         cgroup_path,
                         *id_base,
                         config_.id_count,
                         cgroups_.v2 || cgroups_.counts_swap,
                         image->process,
                         config_.egress,
                         own_limit(RLIMIT_NOFILE, shim::kFilesHard),
                         own_limit(RLIMIT_MEMLOCK, kLockedHard)};
    KernelSpec bounded = spec;
    bounded.pids_max = std::min(spec.pids_max, pids_max_);
    if (!make_folders(spec, files, *id_base) ||
        !shim::write_aside(files.in("config.json"), files.in("config.new"),
                           json::serialize(make_oci_config(bounded, settings))))
      return make_error(
          errno == ENOSPC ? kDiskFull : "data-folder",
          "cannot write into " + files.dir() + " or " + files.layers() + ": " + std::strerror(errno));
    const Amount bound = spec.disk > 0 ? spec.disk : config_.disk_per_kernel;
    if (bound == 0) return prepared;
    auto disk = disks_->take(files.key, bound);
    if (!disk.ok()) return disk.error();
    out.disk = std::move(disk->file);
    prepared.disk = std::move(disk->mount);
    return prepared;
  }

  Result<std::string> bare_rootfs() override {
    return make_bare_image(config_.folders.data, config_.id_base);
  }

  Result<void> check_kept(const KernelSpec& spec, std::int64_t pid) const override {
    const std::string cgroup = group_ + "/" + kernel_name(spec.key) + "/kernel";
    if (auto kept = check_limits(cgroups_, cgroup, spec, pid); !kept.ok()) return kept;
    return check_walls(pid);
  }

  void found(const std::string& name, const shim::ShimSpec& spec) override {
    if (spec.oci) id_ranges_.found(name, spec.id_base);
  }
  void forgotten(const std::string& name) override { id_ranges_.release(name); }

 private:
  // A range of its own; the one that images have on disk where no other one can be: folders that are mounted
  // as they are belong to that one on disk.
  Result<std::uint32_t> ids_for(const KernelSpec& spec, const KnownImage& image, const std::string& name) {
    const bool shares_ids = std::ranges::any_of(spec.mounts, &FolderMount::shared_ids);
    if (!image.maps_owners || shares_ids) return config_.id_base;
    return id_ranges_.take(name);
  }

  bool in_scope() const { return cgroups_.v2 && !scope_of_agent(config_.folders.data).empty(); }

  // A container mounts its cgroups from inside its user namespace, and the kernel looks at each folder on the
  // way to them with the rights of the container's root: it passes, and nobody else lists what is there. The
  // mode is set at every start, since our umask is narrow and the folder of an older agent may be there.
  // Where the tree has no controller of pids there is no such bound.
  void make_group() const {
    for (const std::string& root : cgroups_.roots) {
      write_text(root + "/cgroup.subtree_control", "+pids");
      mkdir((root + group_).c_str(), 0711);
      chmod((root + group_).c_str(), 0711);
      if (const std::int64_t most = all_pids_max(); most > 0)
        write_text(root + group_ + "/pids.max", std::to_string(most));
    }
  }

  // The overlay's own layers belong to root inside; the files that are mounted into it do not.
  bool make_folders(const KernelSpec& spec, const shim::KernelFiles& files, std::uint32_t owner) {
    if (mkdir(files.layers().c_str(), 0700) != 0) return false;
    if (!shim::make_layer(files.layers(), owner)) return false;
    const std::string hosts =
        "127.0.0.1 localhost " + spec.hostname + "\n" + (has_ipv6_ ? "::1 localhost\n" : "");
    const std::pair<std::string, std::string> texts[] = {{"hosts", hosts},
                                                         {"hostname", spec.hostname + "\n"}};
    for (const auto& [name, text] : texts) {
      const std::string path = files.in(name);
      if (!shim::write_aside(path, path + ".new", text) || chmod(path.c_str(), 0644) != 0) return false;
    }
    return shim::write_aside(files.in("init"), files.in("init.new"), "");
  }

  // The overlay is mounted in the shim's own mount namespace, over a folder that every user may pass, so that
  // the data folder itself may stay closed to all but root. It must not hide what the runtime still needs.
  std::string mount_point_beside(const std::string& rootfs) const {
    for (const char* folder : {"/mnt", "/media", "/srv", "/opt", "/home"}) {
      struct stat info {};
      if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode) || (info.st_mode & S_IXOTH) == 0) continue;
      const std::string* const needed[] = {&rootfs, &config_.folders.data, &config_.folders.fast,
                                           &config_.init_path};
      if (std::any_of(std::begin(needed), std::end(needed),
                      [&](const auto* path) { return is_below(*path, folder); }))
        continue;
      return folder;
    }
    return "";
  }

  // The image store leaves image.json beside the rootfs. Null: it is not there, or damaged.
  Result<const KnownImage*> image_of(const std::string& rootfs) {
    const auto known = images_.find(rootfs);
    if (known != images_.end()) return static_cast<const KnownImage*>(&known->second);
    const auto path = std::filesystem::path(rootfs).parent_path() / "image.json";
    boost::system::error_code error;
    const json::value text = json::parse(shim::read_file(path).value_or(""), error);
    const json::value* const process = text.is_object() ? text.as_object().if_contains("process") : nullptr;
    auto image = process != nullptr ? image_process_in(*process) : std::nullopt;
    if (!image) return static_cast<const KnownImage*>(nullptr);
    const auto maps = maps_owners(rootfs);
    if (!maps.ok()) return maps.error();  // not kept: it is no fact about the image
    return static_cast<const KnownImage*>(&(images_[rootfs] = {std::move(*image), *maps}));
  }

  OciKindConfig config_;
  CgroupLayout cgroups_;
  std::unique_ptr<DiskPool> disks_;
  IdRanges id_ranges_;
  std::string group_;
  bool has_ipv6_ = new_networks_have_ipv6();                            // of kernels' own networks
  std::uint32_t pids_max_ = std::numeric_limits<std::uint32_t>::max();  // of one kernel
  std::map<std::string, KnownImage> images_;                            // by rootfs
};

}  // namespace

Result<std::unique_ptr<KernelKind>> make_oci_kind(OciKindConfig config) {
  if (geteuid() != 0)
    return make_error("not-root", "containers need root on this machine",
                      "run the agent as root, or with the process backend");
  if (auto runtime = runtime_for(config.runtime); !runtime.ok()) return runtime.error();
  auto cgroups = read_cgroup_layout();
  if (!cgroups.ok()) return cgroups.error();
  if (auto whole = check_controllers(*cgroups); !whole.ok()) return whole.error();
  auto disks = DiskPool::open({config.folders.disks(), config.disk_per_kernel, config.id_base});
  if (!disks.ok()) return disks.error();
  return std::unique_ptr<KernelKind>(
      std::make_unique<OciKind>(std::move(config), std::move(*cgroups), std::move(*disks)));
}

}  // namespace berth::agents
