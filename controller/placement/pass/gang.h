// The kernels of a multi-node session: all of them find a place, each on an agent of its own choice, or none.
#pragma once

#include "controller/placement/model/model.h"
#include "controller/placement/model/places.h"

namespace berth::placement {

// Finds places and takes them. False: those that could be placed one after the other are taken, so that the
// caller can say what the next one lacks; give_back_places() gives them back.
bool take_gang(Model& model, const Group& group, const ClassKey& key, Places* places);
void take_all(Model& model, const Places& places);
void give_back_places(Model& model, const Places& places);

// The requirement of each kernel, in order.
std::vector<RequirementIndex> requirements_of(const ClassKey& key);

}  // namespace berth::placement
