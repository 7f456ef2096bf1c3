#include "controller/placement/types.h"

#include <array>
#include <utility>

namespace berth::placement {

namespace {

template <class T, std::size_t N>
bool find_name(const std::array<std::pair<std::string_view, T>, N>& names, std::string_view name, T* value) {
  for (const auto& [text, meaning] : names) {
    if (text != name) continue;
    *value = meaning;
    return true;
  }
  return false;
}

}  // namespace

bool parse_order(std::string_view name, Order* order) {
  static constexpr std::array<std::pair<std::string_view, Order>, 5> kNames{
      {{"fifo", Order::kFifo},
       {"lifo", Order::kLifo},
       {"drf", Order::kDrf},
       {"fair-share", Order::kFairShare},
       {"backfill", Order::kBackfill}}};
  return find_name(kNames, name, order);
}

bool parse_head_of_line(std::string_view name, HeadOfLine* policy) {
  static constexpr std::array<std::pair<std::string_view, HeadOfLine>, 3> kNames{
      {{"strict", HeadOfLine::kStrict},
       {"skip-after-n", HeadOfLine::kSkipAfterN},
       {"greedy", HeadOfLine::kGreedy}}};
  return find_name(kNames, name, policy);
}

bool parse_select(std::string_view name, Select* select) {
  static constexpr std::array<std::pair<std::string_view, Select>, 7> kNames{
      {{"concentrated", Select::kConcentrated},
       {"dispersed", Select::kDispersed},
       {"round-robin", Select::kRoundRobin},
       {"fgd", Select::kFgd},
       {"balanced", Select::kBalanced},
       {"ours", Select::kBalanced},  // the name of `balanced` in ADR 0046
       {"custom", Select::kCustom}}};
  return find_name(kNames, name, select);
}

bool parse_spread(std::string_view name, Spread* spread) {
  static constexpr std::array<std::pair<std::string_view, Spread>, 2> kNames{
      {{"even", Spread::kEven}, {"fill", Spread::kFill}}};
  return find_name(kNames, name, spread);
}

bool parse_preempt_order(std::string_view name, PreemptOrder* order) {
  static constexpr std::array<std::pair<std::string_view, PreemptOrder>, 3> kNames{
      {{"oldest", PreemptOrder::kOldest},
       {"newest", PreemptOrder::kNewest},
       {"fewest-sessions", PreemptOrder::kFewestSessions}}};
  return find_name(kNames, name, order);
}

bool parse_preempt_mode(std::string_view name, PreemptMode* mode) {
  static constexpr std::array<std::pair<std::string_view, PreemptMode>, 2> kNames{
      {{"terminate", PreemptMode::kTerminate}, {"reschedule", PreemptMode::kReschedule}}};
  return find_name(kNames, name, mode);
}

bool parse_preempt_scope(std::string_view name, PreemptScope* scope) {
  static constexpr std::array<std::pair<std::string_view, PreemptScope>, 4> kNames{
      {{"user", PreemptScope::kUser},
       {"project", PreemptScope::kProject},
       {"domain", PreemptScope::kDomain},
       {"resource-group", PreemptScope::kResourceGroup}}};
  return find_name(kNames, name, scope);
}

std::string_view to_string(PreemptMode mode) {
  return mode == PreemptMode::kTerminate ? "terminate" : "reschedule";
}

DevicePolicy default_device_policy(std::string_view slot_name, SlotKind kind) {
  DevicePolicy policy;
  if (kind == SlotKind::kBytes) return policy;
  policy.quantum = slot_name.ends_with(".shares") ? kUnit / 10 : kUnit;
  return policy;
}

berth::Code code_of(Code code) {
  switch (code) {
    case Code::kNone: return {};
    case Code::kInvalidAmount: return "invalid-amount";
    case Code::kUnknownSlot: return "unknown-slot";
    case Code::kExclusiveSlots: return "exclusive-slots";
    case Code::kStartTime: return "start-time";
    case Code::kDependency: return "dependency";
    case Code::kOwnerDisabled: return "owner-disabled";
    case Code::kImageBuilding: return "image-building";
    case Code::kImageBuildFailed: return "image-build-failed";
    case Code::kLimit: return "limit";
    case Code::kNoAgents: return "no-agents";
    case Code::kArchitecture: return "architecture";
    case Code::kNoVolume: return "no-volume";
    case Code::kDesignatedAgent: return "designated-agent";
    case Code::kSessionGroup: return "session-group";
    case Code::kContainerLimit: return "container-limit";
    case Code::kNoCapacity: return "no-capacity";
    case Code::kNoDevice: return "no-device";
    case Code::kNever: return "never";
    case Code::kBehindHead: return "behind-head";
  }
  return {};
}

Code find_code(berth::Code wanted) {
  for (int code = 1; code <= static_cast<int>(Code::kBehindHead); ++code)
    if (code_of(static_cast<Code>(code)) == wanted) return static_cast<Code>(code);
  return Code::kNone;
}

}  // namespace berth::placement
