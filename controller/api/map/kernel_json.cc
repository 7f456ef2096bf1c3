#include "controller/api/map/kernel_json.h"

#include "controller/api/map/json_values.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::KernelRow;
using projections::KernelState;

bool has_role(const KernelRow& kernel) {
  return kernel.spec != nullptr && static_cast<int>(kernel.role) < kernel.spec->spec.roles_size();
}

// Only of a program whose end somebody saw: a zero beside RESULT_UNKNOWN would read as success.
bool has_exit_code(std::uint32_t end) {
  switch (static_cast<v1::KernelEnd>(end)) {
    case v1::EXITED:
    case v1::SIGNALLED:
    case v1::OUT_OF_MEMORY:
    case v1::STOPPED:
    case v1::LEASE_OVER: return true;
    default: return false;
  }
}

}  // namespace

std::string kernel_name(const KernelRow& kernel) {
  return has_role(kernel) ? kernel.hostname() : "kernel" + std::to_string(kernel.index);
}

json::array shares_to_json(const std::vector<projections::DeviceShare>& shares) {
  json::array out;
  for (const auto& share : shares)
    out.push_back({{"device", share.device},
                   {"slot", share.slot},
                   {"amount", format_amount(SlotKind::kCount, share.amount)}});
  return out;
}

json::value end_to_json(const KernelRow& kernel) {
  if (kernel.state != KernelState::kTerminated) return nullptr;
  const auto end = static_cast<v1::KernelEnd>(kernel.end);
  return v1::KernelEnd_IsValid(kernel.end) ? json::value(v1::KernelEnd_Name(end)) : json::value(kernel.end);
}

json::object kernel_to_json(const KernelRow& kernel, bool terminating) {
  const bool ended = kernel.state == KernelState::kTerminated;
  json::object out{{"id", to_string(kernel.id)},
                   {"name", kernel_name(kernel)},
                   {"role", has_role(kernel) ? kernel.role_spec().role() : std::string()},
                   {"index", kernel.index},
                   {"state", terminating && !ended ? "TERMINATING" : projections::name_of(kernel.state)},
                   {"agent", kernel.agent},
                   {"attempt", kernel.attempt},
                   {"devices", shares_to_json(kernel.devices)}};
  out["percent"] = kernel.state == KernelState::kPulling ? json::value(kernel.percent) : json::value(nullptr);
  out["started_at"] = time_or_null(kernel.started_at);
  out["ended_at"] = time_or_null(kernel.ended_at);
  out["pid"] = kernel.pid == 0 ? json::value(nullptr) : json::value(kernel.pid);
  out["end"] = end_to_json(kernel);
  out["exit_code"] =
      ended && has_exit_code(kernel.end) ? json::value(kernel.exit_code) : json::value(nullptr);
  out["code"] = kernel.code;
  out["message"] = kernel.message;
  return out;
}

}  // namespace berth::controller::api
