// What the decisions about folders have in common. Pure.
#pragma once

#include <optional>
#include <string>

#include "controller/decide/context.h"
#include "projections/folder_access.h"

namespace berth::controller {

// The folder of that id (16 bytes), if whoever asks may know that it exists; else nullptr.
const projections::FolderRow* find_seen_folder(const DecisionContext& c, const std::string& bytes);
Refusal unknown_folder();

// Whether whoever asks may do this to the folder: see projections::may_manage_folder().
bool may_manage(const DecisionContext& c, const projections::FolderRow& folder, projections::Verb verb);

// Code invalid-name.
std::optional<Refusal> check_folder_name(const std::string& name);
// Code folder-exists, where another folder of the owner has the name.
std::optional<Refusal> check_name_free(const DecisionContext& c, const v1::Owner& owner,
                                       const std::string& name, const FolderId& but);

// "folder data is TRASHED", code folder-not-ready.
Refusal not_ready(const projections::FolderRow& folder, std::string hint);

// Whether the owner may have one more. Code too-many-folders.
std::optional<Refusal> check_folder_count(const projections::State& state, const v1::Owner& owner);

// Whether the volume's agent may be told of one more folder. Code volumes-busy.
std::optional<Refusal> check_volume_has_room(const projections::State& state, const VolumeId& volume);

}  // namespace berth::controller
