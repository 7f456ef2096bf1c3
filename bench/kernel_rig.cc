#include "bench/kernel_rig.h"

#include <time.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <future>

#include "agents/volumes/disk_owner.h"
#include "events/base/random.h"

namespace berth::bench {

KernelRig::KernelRig(agents::BackendKind kind, const std::string& folder, Amount disk) : folder_(folder) {
  agents::BackendConfig config;
  config.kind = kind;
  config.data_folder = folder + "/agent";
  config.disk_per_kernel = disk;
  constexpr std::uint32_t kNobody = 65534;
  if (kind == agents::BackendKind::kProcess && geteuid() == 0) config.process_user = {kNobody, kNobody};
  backend_ = must(agents::open_backend(config));
  must(backend_->recover([this](const agents::KernelEvent& event) {
    if (event.what != agents::KernelEvent::What::kEnded) return;
    const std::lock_guard lock(mutex_);
    ended_.push_back(event);
    changed_.notify_one();
  }));
}

void KernelRig::unpack(const std::string& source) {
  agents::ImageStoreConfig config;
  config.folder = folder_ + "/images";
  const auto store = must(agents::open_image_store(config));
  std::promise<Result<agents::StoredImage>> done;
  store->ensure({"python:3.11", source, ""}, {},
                [&](Result<agents::StoredImage> stored) { done.set_value(std::move(stored)); });
  rootfs_ = must(done.get_future().get()).rootfs;
}

std::vector<agents::FolderMount> KernelRig::make_folders(std::uint64_t count) {
  std::vector<agents::FolderMount> mounts;
  const std::string volume = folder_ + "/volume";
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i), name = std::string(32 - number.size(), 'a') + number;
    const std::string path = volume + "/folders/" + name;
    std::filesystem::create_directories(path);
    if (::chown(path.c_str(), agents::kFolderUid, agents::kFolderUid) != 0)
      give_up(make_error("internal-error", "cannot make " + path));
    mounts.push_back({volume, name, "folder-" + number});
  }
  return mounts;
}

agents::KernelSpec KernelRig::make_spec(std::vector<std::string> command) {
  agents::KernelSpec spec;
  Uuid id;
  const std::uint64_t number = ++started_,
                      rest = Rng(number ^ static_cast<std::uint64_t>(::getpid()) << 32).next();
  std::memcpy(id.bytes.data(), &number, 8);
  std::memcpy(id.bytes.data() + 8, &rest, 8);
  spec.key = {KernelId(id), 1};
  spec.session = SessionId(id);
  spec.session_name = "bench";
  spec.role = "main";
  spec.hostname = "main1";
  if (backend_->needs_image()) spec.image = "python:3.11";
  spec.cpu = kUnit;
  spec.mem = 256ll << 20;
  spec.shm = 16ll << 20;
  spec.command = std::move(command);
  return spec;
}

agents::KernelKey KernelRig::wait_ended() {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, std::chrono::seconds(30), [this] { return !ended_.empty(); }))
    give_up(make_error("internal-error", "a kernel did not end"));
  const agents::KernelEvent event = ended_.front();
  ended_.pop_front();
  if (event.end != agents::KernelEnd::kExited || event.exit_code != 0)
    give_up(make_error("internal-error", "a kernel failed: " + to_string(event.error)));
  return event.key;
}

double KernelRig::run_lives(const std::vector<std::string>& program, std::uint64_t count,
                            std::uint64_t parallel) {
  const Stopwatch watch;
  for (std::uint64_t started = 0, ended = 0; ended < count;) {
    for (; started < count && started < ended + parallel; ++started)
      backend_->start(make_spec(program), rootfs_);
    backend_->forget(wait_ended());
    ++ended;
  }
  return watch.seconds();
}

std::string KernelRig::run_one(const std::vector<std::string>& program, std::int64_t& ordered,
                               std::vector<agents::FolderMount> mounts) {
  auto spec = make_spec(program);
  spec.mounts = std::move(mounts);
  ordered = wall_ns();
  backend_->start(std::move(spec), rootfs_);
  const auto key = wait_ended();
  std::string said = must(backend_->read_log(key, 0, 4096)).bytes;
  backend_->forget(key);
  return said;
}

std::int64_t wall_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::string image_source(const std::string& images) {
  if (!images.empty()) return "oci:" + std::filesystem::absolute(images).string() + "/python:3.11";
  std::error_code ec;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ec);
  return "oci:" + (self.parent_path().parent_path().parent_path() / "images" / "python").string() + ":3.11";
}

}  // namespace berth::bench
