// Gangs: the kernels of a multi-node session are all placed, each on an agent of its own choice, or none is.
#pragma once

#include "controller/placement/model/model.h"
#include "controller/placement/model/places.h"

namespace berth::placement {

// Finds places for all kernels and takes them. False if any kernel does not fit; those already placed stay
// taken, so that the caller can explain what the next kernel lacks. give_back_places() gives them back.
bool take_gang(Model& model, const Group& group, const ClassKey& key, Places* places);
void take_all(Model& model, const Places& places);
void give_back_places(Model& model, const Places& places);

// The requirement of each kernel, in order.
std::vector<RequirementIndex> requirements_of(const ClassKey& key);

}  // namespace berth::placement
