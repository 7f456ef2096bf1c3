#include "projections/tables/request_mix_table.h"

#include <algorithm>

#include "events/base/amount.h"

namespace berth::projections {
namespace {

constexpr Amount kMicroPerMilli = kUnit / 1000;
constexpr Amount kMostMilli = 100'000'000;
constexpr std::int32_t kWholeDevice = 1000;

std::int32_t milli_of(Amount amount) {
  return static_cast<std::int32_t>(std::clamp<Amount>(amount / kMicroPerMilli, 0, kMostMilli));
}

// An entry stands for that slot ("cuda.shares") or all slots of that device ("cuda").
int priority_of(const v1::ResourceGroupDefined& group, const std::string& slot) {
  for (int i = 0; i < group.slot_priority_size(); ++i)
    if (slot == group.slot_priority(i) || slot.starts_with(group.slot_priority(i) + ".")) return i;
  return group.slot_priority_size();
}

}  // namespace

RequestClass class_of(const v1::ResourceGroupDefined& group, const v1::RoleSpec& role) {
  RequestClass asked;
  const v1::SlotAmount* device = nullptr;
  for (const auto& slot : role.slots()) {
    if (slot.slot() == "cpu") asked.cpu_milli = milli_of(slot.amount());
    if (slot.slot() == "cpu" || slot.slot() == "mem" || slot.amount() <= 0) continue;
    const auto rank = [&](const v1::SlotAmount& s) {
      return std::pair(priority_of(group, s.slot()), std::string_view(s.slot()));
    };
    if (device == nullptr || rank(slot) < rank(*device)) device = &slot;
  }
  const std::int32_t milli = device == nullptr ? 0 : milli_of(device->amount());
  if (milli == 0) return asked;
  asked.gpus = std::max(1, milli / kWholeDevice);
  asked.gpu_milli = std::min(milli, kWholeDevice);
  return asked;
}

}  // namespace berth::projections
