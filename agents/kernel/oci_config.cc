#include "agents/kernel/oci_config.h"

#include <algorithm>
#include <boost/json.hpp>

#include "agents/kernel/kernel_kind.h"
#include "agents/kernel/seccomp.h"
#include "agents/kernel/shim/records.h"
#include "events/base/hash.h"

namespace berth::agents {
namespace json = boost::json;
namespace {

json::object mount(const char* destination, const char* type, std::string source,
                   std::initializer_list<std::string> options) {
  json::array list;
  for (const std::string& option : options) list.emplace_back(option);
  return {{"destination", destination},
          {"type", type},
          {"source", std::move(source)},
          {"options", std::move(list)}};
}

json::array mounts_of(const KernelSpec& spec, const OciSettings& settings) {
  const std::string shm = "size=" + std::to_string(spec.shm);
  json::array mounts{
      mount("/proc", "proc", "proc", {"nosuid", "noexec", "nodev"}),
      mount("/dev", "tmpfs", "tmpfs", {"nosuid", "strictatime", "mode=755", "size=65536k"}),
      mount("/dev/pts", "devpts", "devpts",
            {"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"}),
      // Its pages are charged to whoever writes them: they count in the kernel's own memory. /tmp does not:
      // it lies on the kernel's layer.
      mount("/dev/shm", "tmpfs", "shm", {"nosuid", "noexec", "nodev", "mode=1777", shm}),
      mount("/dev/mqueue", "mqueue", "mqueue", {"nosuid", "noexec", "nodev"}),
      mount("/sys", "sysfs", "sysfs", {"nosuid", "noexec", "nodev", "ro"}),
      mount("/sys/fs/cgroup", "cgroup", "cgroup", {"nosuid", "noexec", "nodev", "relatime", "ro"}),
      mount(kInitInside, "bind", settings.init_path, {"bind", "ro", "nosuid", "nodev"}),
      // Not to be written: they stand in the host's memory, and nothing bounds them there.
      mount("/etc/hosts", "bind", settings.kernel_dir + "/hosts",
            {"bind", "ro", "nosuid", "nodev", "noexec"}),
      mount("/etc/hostname", "bind", settings.kernel_dir + "/hostname",
            {"bind", "ro", "nosuid", "nodev", "noexec"}),
  };
  if (spec.egress != Egress::kNone && !settings.egress.ca_bundle.empty())
    mounts.push_back(mount(kCaBundleInside, "bind", settings.egress.ca_bundle,
                           {"bind", "ro", "nosuid", "nodev", "noexec"}));
  return mounts;
}

bool is_given(const KernelSpec& spec, std::string_view name) {
  return std::ranges::any_of(spec.env, [&](const auto& entry) { return entry.first == name; });
}

bool has_automatic_folder(const KernelSpec& spec) {
  return std::ranges::any_of(spec.mounts, &FolderMount::automatic);
}

// For kernels of this image alone: what is compiled for one Python means nothing to another. No reference has
// '=' or '+', so that no two images share a folder.
std::string python_user_base(const std::string& image) {
  constexpr std::size_t kNameMax = 200;
  std::string name = image;
  std::ranges::replace(name, ':', '=');
  std::ranges::replace(name, '/', '+');
  if (name.size() > kNameMax) name = to_hex(as_view(blake2b_128(image)));
  return std::string(shim::kFoldersInside) + "/" + kAutomaticTarget + "/python/" + name;
}

// pip installs there by itself where it may not write the image's packages; a virtual environment looks at
// none of it.
void add_python(const KernelSpec& spec, json::array& env) {
  constexpr std::string_view kBase = "PYTHONUSERBASE=", kPath = "PATH=";
  const auto begins = [](std::string_view begin) {
    return [begin](const json::value& entry) { return entry.as_string().starts_with(begin); };
  };
  if (!has_automatic_folder(spec) || std::ranges::any_of(env, begins(kBase))) return;
  const std::string base = python_user_base(spec.image);
  env.emplace_back(std::string(kBase) + base);
  const auto path = std::ranges::find_if(env, begins(kPath));
  if (path == env.end() || is_given(spec, "PATH")) return;
  const std::string folders(path->as_string().c_str() + kPath.size());
  *path = std::string(kPath) + base + "/bin:" + folders;
}

json::array environment(const KernelSpec& spec, const OciSettings& settings) {
  std::vector<std::string> own = environment_of(spec);
  const auto name_of = [](const std::string& entry) { return entry.substr(0, entry.find('=')); };
  const bool path_given = is_given(spec, "PATH");
  if (spec.egress != Egress::kNone)
    for (const std::string& entry : settings.egress.variables)
      if (!is_given(spec, name_of(entry))) own.push_back(entry);
  json::array env;
  for (const std::string& entry : settings.image.env) {
    const std::string name = name_of(entry);
    if (name == "PATH" && !path_given)
      std::erase_if(own, [&](const std::string& e) { return name_of(e) == "PATH"; });
    if (std::none_of(own.begin(), own.end(), [&](const std::string& e) { return name_of(e) == name; }))
      env.emplace_back(entry);
  }
  bool has_home = false;
  for (std::string& entry : own) {
    has_home |= name_of(entry) == "HOME";
    env.emplace_back(std::move(entry));
  }
  if (!has_home) env.emplace_back("HOME=" + settings.image.home);
  add_python(spec, env);
  return env;
}

// What root inside needs to install and run things for itself. Not: raw sockets, device files, file
// capabilities, audit. Others need none, and no program gives them any.
json::object capabilities_of(const ImageProcess& image) {
  json::array kept;
  if (image.uid == 0)
    kept = {"CAP_CHOWN",  "CAP_DAC_OVERRIDE", "CAP_FOWNER",           "CAP_FSETID",  "CAP_KILL",
            "CAP_SETGID", "CAP_SETUID",       "CAP_NET_BIND_SERVICE", "CAP_SETPCAP", "CAP_SYS_CHROOT"};
  return {{"bounding", kept},
          {"effective", kept},
          {"permitted", kept},
          {"inheritable", json::array{}},
          {"ambient", json::array{}}};
}

json::object process_of(const KernelSpec& spec, const OciSettings& settings) {
  const ImageProcess& image = settings.image;
  json::array args{
      kInitInside, "--exit-fd", std::to_string(shim::kExitFd), "--door-fd", std::to_string(shim::kDoorFd),
      "--folder",  image.folder};
  // A home of the user's own choice is theirs, and may lie in another folder.
  if (has_automatic_folder(spec) && !is_given(spec, "HOME") && image.home != "/") {
    args.emplace_back("--dotfiles");
    args.emplace_back(image.home);
  }
  if (!spec.command.empty()) args.emplace_back("--");
  for (const std::string& word : spec.command) args.emplace_back(word);
  return {
      {"terminal", false},
      {"user", {{"uid", image.uid}, {"gid", image.gid}, {"additionalGids", json::value_from(image.groups)}}},
      {"args", std::move(args)},
      {"env", environment(spec, settings)},
      // Not the image's own folder: the runtime would enter it while it holds folders of the host open, and a
      // link may name those. The init enters it.
      {"cwd", "/"},
      {"capabilities", capabilities_of(image)},
      {"rlimits", json::array{json::object{{"type", "RLIMIT_CORE"}, {"hard", 0}, {"soft", 0}},
                              json::object{{"type", "RLIMIT_NOFILE"},
                                           {"hard", settings.files_hard},
                                           {"soft", std::min(shim::kFilesSoft, settings.files_hard)}},
                              json::object{{"type", "RLIMIT_MEMLOCK"},
                                           {"hard", settings.locked_hard},
                                           {"soft", settings.locked_hard}}}},
      {"noNewPrivileges", true},
      {"oomScoreAdj", shim::kKernelOomScore},
  };
}

json::object resources_of(const KernelSpec& spec, const OciSettings& settings) {
  constexpr std::int64_t kPeriodUs = 100'000;
  json::object cpu{{"period", kPeriodUs}};
  // A quota: so many of every 100 ms, at least the 1 ms that the machine's kernel takes. Shares decide when
  // all want more.
  if (spec.cpu > 0) {
    cpu["quota"] = std::max<std::int64_t>(1000, spec.cpu / 10);  // micro-cores -> us in 100'000 us
    cpu["shares"] = std::clamp<std::int64_t>(spec.cpu / 1000 * 1024 / 1000, 2, 262'144);
  }
  json::object resources{{"cpu", std::move(cpu)},
                         {"pids", {{"limit", spec.pids_max}}},
                         {"devices", json::array{json::object{{"allow", false}, {"access", "rwm"}}}}};
  if (spec.mem > 0) {
    json::object memory{{"limit", spec.mem}};
    if (settings.limits_swap) memory["swap"] = spec.mem;  // memory and swap together: no swap beyond
    resources["memory"] = std::move(memory);
  }
  return resources;
}

}  // namespace

json::object make_oci_config(const KernelSpec& spec, const OciSettings& settings) {
  const json::array ids{
      json::object{{"containerID", 0}, {"hostID", settings.id_base}, {"size", settings.id_count}}};
  json::array namespaces;
  for (const char* type : {"user", "pid", "mount", "uts", "ipc", "cgroup", "network"})
    namespaces.push_back(json::object{{"type", type}});
  json::object linux_part{
      {"uidMappings", ids},
      {"gidMappings", ids},
      {"namespaces", std::move(namespaces)},
      {"resources", resources_of(spec, settings)},
      {"cgroupsPath", settings.cgroup_path},
      {"seccomp", default_seccomp()},
      {"maskedPaths",
       json::array{"/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats",
                   "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug", "/proc/scsi",
                   "/sys/firmware", "/sys/devices/virtual/powercap"}},
      {"readonlyPaths",
       json::array{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"}},
  };
  return {{"ociVersion", "1.0.2"},
          {"process", process_of(spec, settings)},
          {"root", {{"path", settings.root}, {"readonly", false}}},
          {"hostname", spec.hostname},
          {"mounts", mounts_of(spec, settings)},
          {"linux", std::move(linux_part)}};
}

}  // namespace berth::agents
