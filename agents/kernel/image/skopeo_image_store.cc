#include "agents/kernel/image/skopeo_image_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>

#include "agents/kernel/host/programs.h"
#include "agents/kernel/run_tool.h"
#include "agents/kernel/shim/remove_tree.h"
#include "agents/kernel/shim/system.h"
#include "events/base/edge_errors.h"

namespace berth::agents {
namespace fs = std::filesystem;
namespace json = boost::json;
namespace {

bool is_digest(const std::string& text) {
  return text.size() == 71 && text.starts_with("sha256:") &&
         text.find_first_not_of("0123456789abcdef", 7) == std::string::npos;
}

std::uint64_t bytes_below(const std::string& folder) {
  std::uint64_t sum = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored) && !at->is_symlink(ignored)) sum += at->file_size(ignored);
  }
  return sum;
}

bool is_whole(const std::string& folder) {
  std::error_code error;
  return fs::exists(folder + "/image.json", error) && fs::exists(folder + "/rootfs", error);
}

}  // namespace

Result<std::unique_ptr<ImageStore>> open_image_store(ImageStoreConfig config) {
  return SkopeoImageStore::open(std::move(config));
}

Result<std::unique_ptr<ImageStore>> SkopeoImageStore::open(ImageStoreConfig config) {
  std::unique_ptr<SkopeoImageStore> store(new SkopeoImageStore(std::move(config)));
  if (auto ready = store->prepare(); !ready.ok()) return ready.error();
  return std::unique_ptr<ImageStore>(std::move(store));
}

Result<void> SkopeoImageStore::prepare() {
  if (config_.folder.empty() || config_.folder[0] != '/')
    return make_error("image-folder", "the image store's folder must be an absolute path");
  for (const char* tool : {"skopeo", "umoci"})
    if (find_program(tool).empty())
      return make_error("tool-missing", std::string(tool) + " is not installed", "run ops/setup runtime");
  std::error_code error;
  fs::create_directories(config_.folder + "/images", error);
  shim::remove_tree(config_.folder + "/pulls");
  fs::create_directories(config_.folder + "/pulls", error);
  if (error)
    return make_error("image-folder", "cannot make folders in " + config_.folder + ": " + error.message());
  for (const auto& entry : fs::directory_iterator(config_.folder + "/images", error))
    load(entry.path().filename());
  return {};
}

// A folder with a damaged image.json is not an image: the next pull of it puts it right.
void SkopeoImageStore::load(const std::string& hex) {
  const std::string folder = config_.folder + "/images/" + hex;
  boost::system::error_code error;
  const json::value text = json::parse(shim::read_file(folder + "/image.json").value_or(""), error);
  if (error || !text.is_object()) return;
  const json::object& image = text.as_object();
  const json::value* const digest = image.if_contains("digest");
  const json::value* const references = image.if_contains("references");
  const json::value* const bytes = image.if_contains("bytes");
  const json::value* const process = image.if_contains("process");
  if (digest == nullptr || !digest->is_string() || references == nullptr || !references->is_array()) return;
  if (process == nullptr || !image_process_in(*process)) return;
  for (const json::value& reference : references->as_array()) {
    if (!reference.is_string()) continue;
    StoredImage stored{std::string(reference.as_string()), std::string(digest->as_string()),
                       folder + "/rootfs", 0};
    if (bytes != nullptr && bytes->is_int64()) stored.bytes = static_cast<std::uint64_t>(bytes->as_int64());
    by_reference_[stored.reference] = stored;
  }
}

SkopeoImageStore::~SkopeoImageStore() {
  closing_ = true;
  for (auto& [key, pull] : pulls_)
    if (pull->thread.joinable()) pull->thread.join();
}

std::string SkopeoImageStore::folder_of(const std::string& digest) const {
  return config_.folder + "/images/" + digest.substr(7);
}

const StoredImage* SkopeoImageStore::find(const ImageRequest& request) const {
  const auto found = by_reference_.find(request.reference);
  if (found == by_reference_.end() || (!request.digest.empty() && found->second.digest != request.digest))
    return nullptr;
  return &found->second;
}

void SkopeoImageStore::ensure(ImageRequest request, OnProgress progress, OnDone done) {
  std::unique_lock lock(mutex_);
  const StoredImage* const stored = find(request);
  // Somebody may have removed it: then it is fetched once more.
  if (stored != nullptr && is_whole(folder_of(stored->digest))) {
    const StoredImage copy = *stored;
    lock.unlock();
    done(copy);
    return;
  }
  std::erase_if(pulls_, [](auto& entry) {
    if (!entry.second->finished) return false;
    entry.second->thread.join();
    return true;
  });
  const std::string key = request.reference + "\n" + request.source + "\n" + request.digest;
  std::unique_ptr<Pull>& pull = pulls_[key];
  const bool first = pull == nullptr;
  if (first) {
    pull = std::make_unique<Pull>();
    pull->request = std::move(request);
  }
  pull->waiters.push_back({std::move(progress), std::move(done)});
  if (first) pull->thread = std::thread([this, &pull = *pull] { run(pull); });
}

std::vector<StoredImage> SkopeoImageStore::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<StoredImage> all;
  for (const auto& [reference, image] : by_reference_) all.push_back(image);
  return all;
}

void SkopeoImageStore::report(Pull& pull, std::uint32_t percent, const char* step) {
  std::vector<OnProgress> listeners;
  {
    const std::lock_guard lock(mutex_);
    if (percent <= pull.percent) return;
    pull.percent = percent;
    for (const Waiter& waiter : pull.waiters) listeners.push_back(waiter.progress);
  }
  for (const OnProgress& listener : listeners)
    if (listener) listener({pull.request.reference, percent, step});
}

void SkopeoImageStore::run(Pull& pull) {
  auto result = fetch(pull);
  std::vector<Waiter> waiters;
  {
    // Stored and finished in one step: who asks from now on finds the image, or begins a new pull.
    const std::lock_guard lock(mutex_);
    if (result.ok()) by_reference_[pull.request.reference] = *result;
    waiters.swap(pull.waiters);
  }
  for (const Waiter& waiter : waiters) waiter.done(result);
  const std::lock_guard lock(mutex_);
  for (const Waiter& late : pull.waiters) late.done(result);  // came while the others were told
  pull.waiters.clear();
  pull.finished = true;
}

Result<StoredImage> SkopeoImageStore::fetch(Pull& pull) {
  const ImageRequest& request = pull.request;
  const std::string what = "image " + request.reference;
  if (!request.digest.empty() && !is_digest(request.digest))
    return make_error("image-digest-differs", what + ": '" + request.digest + "' is no digest (sha256:HEX)");
  std::string work;
  {
    const std::lock_guard lock(mutex_);
    work = config_.folder + "/pulls/" + std::to_string(next_work_++);
  }
  std::error_code error;
  fs::create_directories(work, error);
  std::string source = request.source, digest;
  if (const auto layout = parse_layout_source(source)) {
    digest = layout_digest(layout->first, layout->second);
    if (digest.empty())
      return make_error("unknown-image", what + ": " + source + " does not have it",
                        "ops/images/build makes it");
    if (!request.digest.empty() && digest != request.digest)
      return make_error("image-digest-differs",
                        what + " is " + digest + " at its source, not " + request.digest);
  } else {
    const auto inspected =
        run_tool({"skopeo", "inspect", "--format", "{{.Digest}}", source}, closing_, [] {});
    digest = inspected.output.substr(0, inspected.output.find('\n'));
    if (inspected.exit_code != 0 || !is_digest(digest)) return image_error(what, inspected.errors);
    if (!request.digest.empty() && digest != request.digest)
      return make_error("image-digest-differs",
                        what + " is " + digest + " at its source, not " + request.digest);
    // By digest from here on: the tag may move while we copy. skopeo verifies what it gets.
    const std::size_t slash = source.rfind('/'), colon = source.rfind(':');
    if (colon != std::string::npos && slash != std::string::npos && colon > slash) source.resize(colon);
    source += "@" + digest;
  }
  report(pull, 1, "copy");
  std::uint32_t ticks = 0;
  const auto copied =
      run_tool({"skopeo", "copy", "--quiet", "--preserve-digests", source, "oci:" + work + "/layout:image"},
               closing_, [&] { report(pull, std::min(1 + ++ticks, 49u), "copy"); });
  Result<StoredImage> result = image_error(what, copied.errors);
  if (copied.exit_code == 0) result = unpack(pull, work, digest);
  shim::remove_tree(work);
  return result;
}

Result<StoredImage> SkopeoImageStore::unpack(Pull& pull, const std::string& work, const std::string& digest) {
  report(pull, 50, "unpack");
  const std::string map = "0:" + std::to_string(config_.id_base) + ":" + std::to_string(config_.id_count),
                    bundle = work + "/bundle";
  std::error_code error;
  fs::create_directories(bundle, error);
  // The root file system alone: for a config of the runtime umoci would open files of the image by paths of
  // the host.
  std::vector<std::string> words{"umoci", "raw", "unpack", "--image", work + "/layout:image"};
  if (config_.rootless)
    words.push_back("--rootless");
  else
    words.insert(words.end(), {"--uid-map", map, "--gid-map", map});
  words.push_back(bundle + "/rootfs");
  std::uint32_t ticks = 0;
  const auto unpacked =
      run_tool(words, closing_, [&] { report(pull, std::min(50 + 2 * ++ticks, 98u), "unpack"); });
  if (unpacked.exit_code != 0) return image_error("image " + pull.request.reference, unpacked.errors);
  const auto process = process_of_image(work + "/layout", bundle + "/rootfs", config_.id_count);
  if (!process.ok()) return process.error();
  auto kept = keep(pull.request, digest, bundle, *process);
  if (kept.ok()) report(pull, 100, "unpack");
  return kept;
}

Result<StoredImage> SkopeoImageStore::keep(const ImageRequest& request, const std::string& digest,
                                           const std::string& bundle, const ImageProcess& process) {
  const std::string folder = folder_of(digest);
  std::error_code error;
  StoredImage image{request.reference, digest, folder + "/rootfs", bytes_below(bundle + "/rootfs")};
  // On disk before it gets its name: a folder below images/ is whole, also after a power failure.
  if (const int fd = ::open(bundle.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); fd >= 0) {
    syncfs(fd);
    close(fd);
  }
  const std::lock_guard lock(mutex_);
  const bool known = is_whole(folder);  // another reference has the same content
  fs::create_directories(config_.folder + "/images", error);
  const std::string target = known ? folder : bundle;
  if (!save(image, target, process)) return make_error(kDiskFull, "cannot write into " + target);
  if (!known) {
    shim::remove_tree(folder);
    fs::rename(bundle, folder, error);
    if (error) return make_error("image-pull-failed", "cannot store " + folder + ": " + error.message());
  }
  return image;
}

// REQUIRES: mutex_ held.
bool SkopeoImageStore::save(const StoredImage& image, const std::string& folder,
                            const ImageProcess& process) {
  json::array references{image.reference};
  for (const auto& [reference, other] : by_reference_)
    if (other.digest == image.digest && reference != image.reference) references.emplace_back(reference);
  const json::object text{{"v", 1},
                          {"digest", image.digest},
                          {"references", references},
                          {"bytes", image.bytes},
                          {"process", to_json(process)}};
  return shim::write_aside(folder + "/image.json", folder + "/image.json.new", json::serialize(text));
}

}  // namespace berth::agents
