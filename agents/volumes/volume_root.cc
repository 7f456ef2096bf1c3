#include "agents/volumes/volume_root.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "agents/volumes/disk_owner.h"
#include "events/base/files/durable_file.h"
#include "events/base/files/known_folder.h"
#include "events/base/hash.h"
#include "events/base/hex.h"
#include "events/base/name.h"
#include "events/base/text.h"

namespace berth::agents {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMarker = "volume";
constexpr std::string_view kMarkerBegin = "berth volume 1 ";
constexpr auto kLockPatience = std::chrono::seconds(5);

Error invalid(const std::string& what, std::string hint = "--volume NAME=/PATH") {
  return make_error("volume-invalid", what, std::move(hint));
}

Error unusable(const VolumePlace& place, const std::string& why, std::string hint = {}) {
  return make_error("volume-unusable", "volume " + place.name + ", " + place.path + ": " + why,
                    std::move(hint));
}

Error failed(const VolumePlace& place, const char* what) {
  return unusable(place, std::string(what) + ": " + std::strerror(errno));
}

// Root's alone; a disk of its own, just mounted, has a `lost+found`.
Result<void> close_to_others(const VolumePlace& place, const std::string& root, const Descriptor& folder) {
  struct stat info {};
  if (fstat(folder.get(), &info) != 0) return failed(place, "cannot be looked at");
  if (info.st_uid != geteuid())
    return unusable(place, "the folder belongs to another user, number " + std::to_string(info.st_uid),
                    "that user could change what is in it; name a folder of your own");
  std::error_code error;
  bool has_marker = fs::exists(root + "/" + kMarker, error);
  for (fs::directory_iterator it(root, error), end; !has_marker && !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    // What an agent leaves that ended before it had made the marker.
    const bool is_ours = name == "folders" || name == "staging" || name == "uploaded" || name == "trash" ||
                         name == "volume.new";
    if (name != "lost+found" && !is_ours)
      return unusable(place, "it holds '" + clipped(name) + "', which is not Berth's",
                      "name an empty folder: it becomes the volume");
  }
  if (error) return unusable(place, "cannot be read: " + error.message());
  if (fchmod(folder.get(), 0700) != 0) return failed(place, "cannot be closed to others");
  return {};
}

// Held while the volume is opened, so that of two agents one makes the marker.
Result<void> lock(const VolumePlace& place, const Descriptor& folder) {
  const auto until = std::chrono::steady_clock::now() + kLockPatience;
  while (flock(folder.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return failed(place, "cannot be locked");
    if (std::chrono::steady_clock::now() > until)
      return make_error("volume-busy",
                        "volume " + place.name + ", " + place.path + ": another agent opens it",
                        "try again when that has ended");
    usleep(20'000);
  }
  return {};
}

Result<VolumeId> read_marker(const VolumePlace& place, const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return failed(place, "its marker 'volume' cannot be read");
  char bytes[128];
  const ssize_t size = ::read(file.get(), bytes, sizeof bytes);
  std::string_view text(bytes, size > 0 ? static_cast<std::size_t>(size) : 0);
  const bool is_marker = text.starts_with(kMarkerBegin) && text.ends_with('\n');
  const auto id = is_marker
                      ? from_hex(text.substr(kMarkerBegin.size(), text.size() - kMarkerBegin.size() - 1))
                      : std::nullopt;
  const auto uuid = id && id->size() == 16 ? Uuid::from_bytes(*id) : std::nullopt;
  if (!uuid || uuid->is_nil())
    return unusable(place, "its marker 'volume' is damaged, or of a later version",
                    "the marker of a backup has the volume's id");
  return VolumeId(*uuid);
}

Result<VolumeId> marked(const VolumePlace& place, const std::string& root, RandomSource& random) {
  const std::string path = root + "/" + kMarker;
  struct stat info {};
  if (lstat(path.c_str(), &info) == 0) return read_marker(place, path);
  if (errno != ENOENT) return failed(place, "its marker 'volume' cannot be read");
  const VolumeId id(random.uuid());
  const auto error = write_durably(path, std::string(kMarkerBegin) + to_hex(id.view()) + "\n", 0600);
  if (error) return unusable(place, "its marker 'volume' cannot be written: " + error.message());
  return id;
}

Result<void> make_inner(const VolumePlace& place, const std::string& root) {
  for (const char* name : {"folders", "staging", "uploaded", "trash"}) {
    const std::string path = root + "/" + name;
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failed(place, "cannot be written");
    const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder || fchmod(folder.get(), 0700) != 0)
      return unusable(place, std::string("'") + name + "' in it is no folder of Berth's");
  }
  if (const auto error = sync_folder(root)) return unusable(place, "cannot be written: " + error.message());
  return {};
}

}  // namespace

Result<void> check_places(const std::vector<VolumePlace>& places) {
  if (places.size() > kVolumesMax)
    return invalid("an agent has at most " + std::to_string(kVolumesMax) + " volumes");
  std::set<std::string> names;
  for (const VolumePlace& place : places) {
    if (!is_valid_name(place.name))
      return invalid("'" + clipped(place.name) + "' is no name for a volume",
                     "1 to 64 letters, digits, '.', '_', '-', beginning with a letter or digit");
    if (!names.insert(place.name).second) return invalid("two volumes are called " + place.name);
    if (!place.path.starts_with('/'))
      return invalid("volume " + place.name + ": '" + clipped(place.path) + "' is no absolute path");
  }
  return {};
}

namespace {

KnownFolder known_folder(const VolumePlace& place, const VolumeSettings& settings) {
  return {settings.known.empty() ? "" : settings.known + "/" + place.name, place.path, "volume"};
}

bool has_marker(const std::string& root) {
  struct stat info {};
  return lstat((root + "/" + kMarker).c_str(), &info) == 0;
}

}  // namespace

Result<Volume> open_root(const VolumePlace& place, const VolumeSettings& settings, const VolumeParts& parts) {
  const std::unique_ptr<char, decltype(&free)> real(realpath(place.path.c_str(), nullptr), &free);
  if (!real)
    return unusable(place, errno == ENOENT ? "there is no such folder" : std::strerror(errno),
                    "make it, or mount it, first: mkdir -m 700 " + clipped(place.path, 200));
  const std::string root = real.get();
  const Descriptor folder(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return failed(place, "cannot be opened");
  if (auto locked = lock(place, folder); !locked) return locked.error();
  const KnownFolder known = known_folder(place, settings);
  if (!has_marker(root))  // nothing is made where its disk is not mounted
    if (auto good = check_known_folder(known, ""); !good) return good.error();
  if (auto closed = close_to_others(place, root, folder); !closed) return closed.error();
  Volume volume{{}, place.name, root, false, kFolderUid};
  if (const auto takes = parts.takes_idmaps(folder.get()); !takes) {
    if (takes.error().code == "no-user-namespaces")  // no fault of this file system
      return make_error(takes.error().code,
                        "volume " + place.name + ", " + place.path + ": " + takes.error().message,
                        takes.error().hint);
    if (!settings.shared_ids)
      return make_error("volume-without-idmaps",
                        "volume " + place.name + ", " + place.path + ": " + takes.error().message,
                        takes.error().hint);
    volume.shared_ids = true;
    volume.owner = settings.shared_owner;
  }
  if (auto made = make_inner(place, root); !made) return made.error();
  const auto id = marked(place, root, parts.random);
  if (!id) return id.error();
  if (auto good = check_known_folder(known, to_hex(id->view())); !good) return good.error();
  if (!known.record.empty())
    if (const auto error = remember_folder(known, to_hex(id->view())); error && parts.warn)
      parts.warn("volume " + place.name + " is not remembered: " + known.record + ": " + error.message());
  volume.id = *id;
  return volume;
}

}  // namespace berth::agents
