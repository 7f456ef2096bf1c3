#include "agents/volumes/volumes.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "agents/kernel/shim/remove_tree.h"
#include "agents/volumes/beneath.h"
#include "agents/volumes/new_folder.h"
#include "agents/volumes/uploads.h"
#include "agents/volumes/volume_root.h"
#include "events/base/hash.h"
#include "events/base/secrets.h"

namespace berth::agents {
namespace {

namespace fs = std::filesystem;

constexpr auto kCleanEvery = std::chrono::hours(1);  // uploads that nobody goes on with

Descriptor open_folder_at(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::string fresh_name() { return to_hex(random_bytes(16)); }

Error failed(const Volume& volume) {
  if (errno == ENOSPC || errno == EDQUOT)
    return make_error("volume-full", "volume " + volume.name + " has no room left",
                      "remove what is not needed, or ask the administrator for room");
  return make_error("volume-failed", "volume " + volume.name + ": " + std::strerror(errno));
}

Error unknown_volume() {
  return make_error("unknown-volume", "this agent has no such volume", "its operator may have taken it away");
}

// Folders that a crash left half made; another agent that is just making one begins again.
void drop_half_made(const Volume& volume) {
  const Descriptor staging = open_folder_at(volume.root + "/staging");
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(volume.root + "/staging", error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kBeingMade)) unlinkat(staging.get(), name.c_str(), AT_REMOVEDIR);
  }
}

}  // namespace

std::string OpenFolder::name() const { return to_hex(id.view()); }

Volumes::Volumes(VolumeParts parts, std::vector<Volume> list)
    : parts_(std::move(parts)), list_(std::move(list)), cleaner_([this] { clean(); }) {}

Volumes::~Volumes() {
  stop_ = true;
  {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  cleaner_.join();
}

Result<std::unique_ptr<Volumes>> Volumes::open(const VolumeSettings& settings, VolumeParts parts) {
  if (auto good = check_places(settings.places); !good) return good.error();
  std::vector<Volume> list;
  for (const VolumePlace& place : settings.places) {
    auto volume = open_root(place, settings, parts);
    if (!volume) return volume.error();
    for (const Volume& other : list)
      if (other.id == volume->id)
        return make_error("volume-invalid",
                          "volumes " + other.name + " and " + volume->name + " are one and the same",
                          "name it once; a copy of a volume needs a marker of its own");
    if (volume->shared_ids && parts.warn)
      parts.warn("volume " + volume->name +
                 " takes no idmapped mounts: its files belong to the ids that kernels have on the host");
    drop_half_made(*volume);
    list.push_back(std::move(*volume));
  }
  return std::unique_ptr<Volumes>(new Volumes(std::move(parts), std::move(list)));
}

const Volume* Volumes::find(const VolumeId& id) const {
  const auto found = std::find_if(list_.begin(), list_.end(), [&](const Volume& v) { return v.id == id; });
  return found == list_.end() ? nullptr : &*found;
}

Result<void> Volumes::make(const VolumeId& id, const FolderId& folder) {
  const Volume* const volume = find(id);
  if (volume == nullptr) return unknown_volume();
  const std::string name = to_hex(folder.view());
  const Descriptor folders = open_folder_at(volume->root + "/folders");
  const Descriptor staging = open_folder_at(volume->root + "/staging");
  if (!folders || !staging) return failed(*volume);
  if (!make_new_folder(folders.get(), staging.get(), name, volume->owner)) return failed(*volume);
  return {};
}

Result<void> Volumes::remove(const VolumeId& id, const FolderId& folder) {
  const Volume* const volume = find(id);
  if (volume == nullptr) return unknown_volume();
  const Descriptor folders = open_folder_at(volume->root + "/folders");
  if (!folders) return failed(*volume);
  const std::string name = to_hex(folder.view());
  if (!throw_away(*volume, folders.get(), name) && errno != ENOENT) return failed(*volume);
  if (fsync(folders.get()) != 0) return failed(*volume);
  for (const char* place : {"/staging", "/uploaded"}) drop_uploads_of(volume->root + place, folder);
  return {};
}

Result<OpenFolder> Volumes::open_folder(const VolumeId& id, const FolderId& folder) const {
  const Volume* const volume = find(id);
  if (volume == nullptr) return unknown_volume();
  OpenFolder opened{*volume,
                    folder,
                    {},
                    open_folder_at(volume->root + "/staging"),
                    open_folder_at(volume->root + "/uploaded"),
                    open_folder_at(volume->root + "/trash")};
  const Descriptor folders = open_folder_at(volume->root + "/folders");
  if (!opened.staging || !opened.uploaded || !opened.trash || !folders) return failed(*volume);
  opened.folder = open_beneath(folders.get(), opened.name(), O_RDONLY | O_DIRECTORY);
  if (opened.folder) return opened;
  if (errno != ENOENT) return failed(*volume);
  return make_error("unknown-folder", "volume " + volume->name + " has no such folder",
                    "it may have been removed");
}

bool Volumes::throw_away(const Volume& volume, int above, const std::string& name) {
  const Descriptor trash = open_folder_at(volume.root + "/trash");
  if (!trash) return false;
  if (renameat2(above, name.c_str(), trash.get(), fresh_name().c_str(), RENAME_NOREPLACE) != 0) return false;
  const std::lock_guard lock(mutex_);
  dirty_ = true;
  changed_.notify_all();
  return true;
}

void Volumes::await_empty_trash() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stop_ || (!dirty_ && !cleaning_); });
}

void Volumes::clean() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    dirty_ = false;
    cleaning_ = true;
    lock.unlock();
    for (const Volume& volume : list_) {
      drop_old_uploads(volume.root, kUploadKept);
      if (!empty_trash(volume) && !stop_ && parts_.warn)
        parts_.warn("volume " + volume.name + ": something in its trash cannot be removed");
    }
    lock.lock();
    cleaning_ = false;
    changed_.notify_all();
    changed_.wait_for(lock, kCleanEvery, [this] { return stop_ || dirty_; });
  }
}

bool Volumes::empty_trash(const Volume& volume) {
  bool all = true;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(volume.root + "/trash", error)) {
    if (stop_) return false;
    all = shim::remove_tree(entry.path().string(), &stop_) && all;
  }
  return all && !error;
}

}  // namespace berth::agents
