// A group's settings, and what is worked out from them. Groups are made and destroyed here, above the indexes
// that they own.
#pragma once

#include "controller/placement/model/model.h"

namespace berth::placement {

// Computes what follows from the group's policy and the slot types: the order of slots, how devices give each
// slot, and the search index.
void refresh_settings(Model& model, Group& group);

}  // namespace berth::placement
