// A group's settings, and what is worked out from them. Groups are made and destroyed here, above the indexes
// that they own.
#pragma once

#include "controller/placement/model/model.h"

namespace berth::placement {

// Works out what follows from the group's policy and the slot types: their order, how devices give each, and
// the index.
void refresh_settings(Model& model, Group& group);

}  // namespace berth::placement
