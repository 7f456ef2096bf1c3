// The kernels of POST /v1/sessions: mode, cluster_size, resources, roles -> roles of the spec. Pure.
#pragma once

#include "controller/api/map/json_reader.h"
#include "controller/api/map/slot_amounts.h"

namespace berth::controller::api {

void read_cluster(ObjectReader& in, const SlotKinds& kinds, v1::SessionSpec& spec);

}  // namespace berth::controller::api
