// Folders and the volumes that they lie on (events/schema/v1/folder.proto draws a folder's states).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/base/clock.h"
#include "events/base/uuid.h"
#include "events/schema/v1/common.pb.h"

namespace berth::projections {

enum class FolderState : std::uint8_t { kCreating = 0, kReady = 1, kFailed = 2, kTrashed = 3, kPurging = 4 };
const char* name_of(FolderState state);

// What somebody may do with a folder's files. kOwn: also share it, rename it and throw it away.
enum class FolderAccess : std::uint8_t { kNone = 0, kRead = 1, kWrite = 2, kOwn = 3 };
const char* name_of(FolderAccess access);

inline constexpr int kFolderSharesMax = 64;      // of one folder
inline constexpr int kFoldersOfOwnerMax = 1000;  // not purged
inline constexpr int kFoldersToDoMax = 200;      // CREATING or PURGING, of one volume
inline constexpr int kMountsMax = 16;            // of one session
inline constexpr int kVolumesOfAgentMax = 16;
inline constexpr Duration kTrashKeptFor = 7 * 24 * kHour;
// A user's folder of this name is the automatic one: every session of the user that does not refuse it has it
// under this name in its home. Nobody can give the name to another one (it is no valid name).
inline constexpr const char* kAutomaticFolder = ".automatic";
// Where there are several volumes, automatic folders lie on that of this name.
inline constexpr const char* kAutomaticVolume = "home";

struct FolderShare {
  v1::ScopeKind scope = v1::SCOPE_KIND_UNSPECIFIED;  // USER, PROJECT
  std::string id;                                    // of a project "DOMAIN/NAME"
  FolderAccess access = FolderAccess::kNone;
  bool operator==(const FolderShare&) const = default;
  template <class V> void fields(V& v) {
    v(1, scope);
    v(2, id);
    v(3, access);
  }
};

struct FolderRow {
  using Key = FolderId;
  static constexpr std::uint8_t kTable = 29;

  FolderId id;
  std::string name;
  std::string domain;   // of its owner...
  std::string project;  // ...which is a project, or
  std::string user;     // a user: one of both is empty
  VolumeId volume;
  FolderState state = FolderState::kCreating;
  Timestamp created_at = 0;  // header time
  Timestamp purge_at = 0;    // of one in the trash
  Code code;                 // why it could not be made or removed
  std::string message;
  std::vector<FolderShare> shares;  // in order of scope and id

  Key key() const { return id; }
  // Whether its name is taken.
  bool has_name() const { return state != FolderState::kTrashed && state != FolderState::kPurging; }
  bool is_automatic() const { return name == kAutomaticFolder; }
  // Whether its agent still has something to do.
  bool is_to_do() const { return state == FolderState::kCreating || state == FolderState::kPurging; }
  v1::Owner owner() const;
  template <class V> void fields(V& v) {
    v(1, id);
    v(2, name);
    v(3, domain);
    v(4, project);
    v(5, user);
    v(6, volume);
    v(7, state);
    v(8, created_at);
    v(9, purge_at);
    v(10, code);
    v(11, message);
    v(12, shares);
  }
};

// A volume that some agent has had.
struct VolumeRow {
  using Key = VolumeId;
  static constexpr std::uint8_t kTable = 30;

  VolumeId id;
  std::string name;   // as the last join said it
  std::string agent;  // makes and removes its folders; empty: none is named yet

  Key key() const { return id; }
  template <class V> void fields(V& v) {
    v(1, id);
    v(2, name);
    v(3, agent);
  }
};

}  // namespace berth::projections
