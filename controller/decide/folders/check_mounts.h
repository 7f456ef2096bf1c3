// What a session that asks for folders must bring: sound targets, and folders that its owner may use. Pure.
#pragma once

#include <optional>

#include "controller/decide/context.h"

namespace berth::controller {

// Codes: invalid-mount (too many, a target that is no name, is reserved or is given twice), unknown-folder,
// denied (a folder that may be seen and not used), folder-automatic, folder-not-ready, folder-read-only.
// Where somebody else asks for the owner, both need the access: a right to ask for others' sessions opens no
// folder.
std::optional<Refusal> check_mounts(const DecisionContext& c, const v1::Owner& owner,
                                    const v1::SessionSpec& spec);

}  // namespace berth::controller
