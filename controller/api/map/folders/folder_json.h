// Folders and volumes as JSON. Pure; callers hold the state's lock.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "controller/api/map/query.h"
#include "controller/api/map/session_lookup.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

// As the actor sees it, who may see the folder: "access" is the actor's, "sessions" are those of the live
// ones that mount it which the actor may see, 20 at most, and "shares" are there for who may change them.
boost::json::object folder_to_json(const projections::State& state, const projections::FolderRow& folder,
                                   const projections::Actor& actor);

// With the agents that the actor knows of. A volume that no ALIVE agent has is not available.
boost::json::object volume_to_json(const projections::State& state, const projections::VolumeRow& volume,
                                   const projections::Actor& actor);

struct FolderFilter {
  std::vector<projections::FolderState> states;
  std::string volume;   // its name or id; empty: any
  std::string name;     // empty: any
  std::string project;  // whose folder it is, NAME or DOMAIN/NAME; empty: anybody's
  bool mine = false;    // only the actor's own
  bool matches(const projections::State& state, const projections::FolderRow& folder,
               const projections::Actor& actor) const;
};

// state=, volume=, name=, project=, mine=, include=.
FolderFilter read_folder_filter(Query& query);

// The folders that the actor may see and the filter takes, by name and then by id.
std::vector<const projections::FolderRow*> select_folders(const projections::State& state,
                                                          const FolderFilter& filter,
                                                          const projections::Actor& actor);

// Its place in that order, the form of page tokens of folders: "NAME/ID".
std::string place_of(const projections::FolderRow& folder);

}  // namespace berth::controller::api
