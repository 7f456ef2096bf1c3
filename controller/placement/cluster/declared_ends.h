// Declared ends of live sessions, kept in order for groups with order backfill.
#pragma once

#include "controller/placement/model/model.h"

namespace berth::placement {

void set_end(Model& model, LiveIndex live, Timestamp ends);
void add_end(Model& model, LiveIndex live, GroupIndex group);     // a kernel occupies slots there
void remove_end(Model& model, LiveIndex live, GroupIndex group);  // no kernel does any more
void collect_ends(Model& model, GroupIndex group);                // after the group's order changed

}  // namespace berth::placement
