// A person's automatic folder in their sessions: every kernel whose agent has the folder's volume gets it,
// where the session does not refuse it. It binds no placement: a kernel elsewhere stands without it. Pure.
#pragma once

#include <cstdint>
#include <set>

#include "projections/tables/state.h"

namespace berth::projections {

// What a session has of it. kUnknown: no kernel of the session has a place yet, or it has ended.
enum class AutomaticFolder : std::uint8_t {
  kUnknown = 0,
  kMounted = 1,
  kNotOnThisAgent = 2,  // at least one of its kernels stands on an agent without the folder's volume
  kNone = 3,            // its owner had none, or none that could be made, when the kernels were placed
  kRefused = 4,         // the session does not want it
};
// "mounted", "not-on-this-agent", "none", "refused"; nullptr of kUnknown.
const char* name_of(AutomaticFolder folder);

// The folder that a kernel of the session gets if its agent has the folder's volume; nullptr: none. A folder
// that was made after the kernels were placed is not theirs.
const FolderRow* automatic_folder_of(const State& state, const SessionRow& session);

AutomaticFolder automatic_folder_in(const State& state, const SessionRow& session);

// The sessions whose kernels may have the folder mounted. Of a folder that is not automatic: none.
std::set<SessionId> automatic_mounts_of(const State& state, const FolderRow& folder);

}  // namespace berth::projections
