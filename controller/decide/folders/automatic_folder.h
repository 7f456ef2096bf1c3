// A person's automatic folder (projections/automatic_folder.h): made with the first session that wants it.
// Pure.
#pragma once

#include "controller/decide/context.h"

namespace berth::controller {

// Makes the owner's automatic folder if the session wants it, the owner has none outside the trash and may
// have folders, and there is a volume for it: the only one that ALIVE agents have, of several the only one
// that is called kAutomaticVolume. No session is refused for the lack of it: where it cannot be made, none
// is.
void add_automatic_folder(const DecisionContext& c, const v1::Owner& owner, const v1::SessionSpec& spec,
                          EventList& events);

// Code folder-automatic: it is neither renamed nor shared nor mounted elsewhere. `what`: "renamed".
Refusal is_automatic(const projections::FolderRow& folder, const char* what);

// The owner's folder if that is the automatic one and there is no other, in the trash or outside; else
// nullptr.
const projections::FolderRow* find_automatic_alone(const projections::State& state, const v1::Owner& owner);

// What a removal of the owner does with that folder next: into the trash and out of it for good, unless its
// agent is at work on it already. The owner is not removed meanwhile. Code folder-purging. REQUIRES: no
// kernel has it mounted.
Decision purge_before_removal(const DecisionContext& c, const projections::FolderRow& folder);

}  // namespace berth::controller
