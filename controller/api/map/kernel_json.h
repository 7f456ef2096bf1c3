// Kernel rows as JSON. Pure.
#pragma once

#include <boost/json.hpp>

#include "controller/api/map/slot_amounts.h"
#include "projections/tables/kernel_table.h"

namespace berth::controller::api {

// As part of its session. `terminating`: the session is ending, and its kernels show that too. REQUIRES:
// kernel.spec.
boost::json::object kernel_to_json(const projections::KernelRow& kernel, bool terminating);

// [{"device", "slot", "amount"}]. Device slots are counts.
boost::json::array shares_to_json(const std::vector<projections::DeviceShare>& shares);

// "EXITED"; null before the kernel has ended.
boost::json::value end_to_json(const projections::KernelRow& kernel);

// "main1"; "kernel1" if the session's spec is not known.
std::string kernel_name(const projections::KernelRow& kernel);

}  // namespace berth::controller::api
