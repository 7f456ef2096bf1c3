// Volumes: the places on this agent's disks that hold people's folders.
//
//   ROOT/volume          the marker: what this volume is called everywhere; agents that find the same share
//   it ROOT/folders/FOLDER  a folder, by its id (32 hex digits); its files belong to disk_owner.h's range
//   ROOT/staging/        what is being made: folders, and uploads (uploads.h)
//   ROOT/uploaded/       what was asked of uploads that have their places
//   ROOT/trash/          what is being removed, in the background
// All of it is root's alone (0700) down to the folders themselves.
//
// Several agents, also of other machines, may have a volume open: its marker is locked only while an agent
// opens it. What is made appears whole, by a rename; what is removed is out of sight by a rename first. A
// crash leaves things in staging and trash alone, which the next open() and the background remove.
//
// Threads: any, but open() and stop(). Calls block on the disk.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "events/base/clock.h"
#include "events/base/files/descriptor.h"
#include "events/base/random.h"
#include "events/base/result.h"
#include "events/base/uuid.h"

namespace berth::agents {

inline constexpr std::size_t kVolumesMax = 16;  // of an agent
inline constexpr Duration kUploadKept = kDay;   // from the last chunk that came

// As an agent is told of it.
struct VolumePlace {
  std::string name;
  std::string path;  // absolute
};

struct VolumeSettings {
  std::vector<VolumePlace> places;
  // Volumes whose file system takes no idmapped mounts are used all the same; their files belong to this
  // user and group of the host, an id of kernels.
  bool shared_ids = false;
  std::uint32_t shared_owner = 0;
  // Folder in which the agent remembers which volume lay where: an empty folder in place of a known one is a
  // disk that is not mounted. Empty: nothing is remembered.
  std::string known = {};
};

struct VolumeParts {
  RandomSource& random;
  std::function<Result<void>(int root)> takes_idmaps;
  std::function<void(const std::string&)> warn;  // on any thread; may be empty
};

struct Volume {
  VolumeId id;
  std::string name;
  std::string root;  // absolute, without links
  bool shared_ids = false;
  std::uint32_t owner = 0;  // user and group of what is made in its folders
};

// A folder that is being worked in. The descriptors are open folders.
struct OpenFolder {
  Volume volume;
  FolderId id;
  Descriptor folder;
  Descriptor staging;
  Descriptor uploaded;
  Descriptor trash;
  std::string name() const;  // 32 hex digits
};

class Volumes {
 public:
  // Makes a marker where there is none: the folder has to be empty then. Codes: volume-invalid (the names
  // and paths themselves), volume-unusable, those of check_known_folder(), volume-busy (another agent opens
  // it for longer than that takes), volume-without-idmaps.
  static Result<std::unique_ptr<Volumes>> open(const VolumeSettings& settings, VolumeParts parts);
  ~Volumes();
  Volumes(const Volumes&) = delete;
  Volumes& operator=(const Volumes&) = delete;

  const std::vector<Volume>& list() const { return list_; }
  const Volume* find(const VolumeId& id) const;

  // On disk when it returns. One that is there is fine. Codes: unknown-volume, volume-full, volume-failed.
  Result<void> make(const VolumeId& volume, const FolderId& folder);
  // Out of sight for good when it returns, and from then on removed bit by bit. One that is not there is
  // fine. Codes: unknown-volume, volume-failed.
  Result<void> remove(const VolumeId& volume, const FolderId& folder);
  // Codes: unknown-volume, unknown-folder, volume-failed.
  Result<OpenFolder> open_folder(const VolumeId& volume, const FolderId& folder) const;

  // Moves what `name` is in `above`, a folder of this volume, out of sight. False: errno says why.
  bool throw_away(const Volume& volume, int above, const std::string& name);
  // Waits until all that lies in the trash is removed, but for what cannot be.
  void await_empty_trash();

 private:
  Volumes(VolumeParts parts, std::vector<Volume> list);
  void clean();
  bool empty_trash(const Volume& volume);

  VolumeParts parts_;
  std::vector<Volume> list_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool dirty_ = true;      // guarded: something may lie in a trash
  bool cleaning_ = false;  // guarded
  std::atomic<bool> stop_ = false;
  std::thread cleaner_;
};

}  // namespace berth::agents
