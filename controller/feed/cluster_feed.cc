#include "controller/feed/cluster_feed.h"

#include <algorithm>

#include "events/base/slots/slot_name.h"
#include "events/codec/words/enum_words.h"
#include "projections/missing_image.h"

namespace berth::controller {

using projections::AgentRow;
using projections::AgentState;
using projections::earliest_start;
using projections::GroupRow;
using projections::KernelRow;
using projections::LimitRow;
using projections::QuarantineRow;
using projections::SessionRow;
using projections::SessionStatus;
using projections::SlotTypeRow;
using projections::State;

namespace {

placement::PreemptionPolicy preemption_of(const v1::ResourceGroupDefined& group) {
  placement::PreemptionPolicy policy;
  const v1::Preemption& asked = group.preemption();
  policy.enabled = asked.enabled();
  placement::parse_preempt_order(asked.order(), &policy.order);
  placement::parse_preempt_mode(asked.mode(), &policy.mode);
  placement::parse_preempt_scope(word(asked.scope()), &policy.scope);
  policy.min_runtime = asked.min_runtime_ms() * kMillisecond;
  return policy;
}

// Sessions of other owners that name a group alike are in another one.
std::string session_group_name(const SessionRow& row) {
  const std::string& name = row.spec->spec.session_group().name();
  const v1::Owner& owner = row.owner->owner;
  return name.empty() ? std::string() : owner.domain() + "/" + owner.user() + "/" + name;
}

placement::SessionGroup session_group_of(const SessionRow& row) {
  const v1::SessionGroup& asked = row.spec->spec.session_group();
  const auto rule = asked.rule() == v1::PACK ? placement::GroupRule::kPack : placement::GroupRule::kSpread;
  if (asked.name().empty()) return {};
  return {session_group_name(row), rule, asked.strict()};
}

}  // namespace

std::uint32_t kernel_index(const v1::SessionSpec& spec, std::uint32_t role, std::uint32_t index) {
  std::uint32_t before = 0;
  for (std::uint32_t i = 0; i < role; ++i) before += spec.roles(static_cast<int>(i)).count();
  return before + index - 1;
}

void ClusterFeed::rebuild(const State& state, Timestamp now) {
  cluster_ = placement::Cluster();
  cluster_.set_custom_policies(policies_);
  now_ = now;
  freed_ = false;
  unreachable_.clear();
  limits_.clear();
  before_start_.clear();
  withheld_.clear();
  released_.clear();
  disabled_.clear();
  switched_.clear();
  images_.clear();
  folder_volumes_.clear();
  fair_share_.clear();
  learners_.clear();
  learned_.clear();
  stale_mixes_.clear();
  for (const auto& key : state.slot_types.sorted_keys()) on_row(nullptr, state.slot_types.find(key));
  for (const auto& key : state.learned.sorted_keys()) on_row(nullptr, state.learned.find(key));
  for (const auto& key : state.groups.sorted_keys()) on_row(nullptr, state.groups.find(key));
  for (const auto& key : state.agents.sorted_keys()) on_row(nullptr, state.agents.find(key));
  for (const auto& key : state.users.sorted_keys()) on_row(nullptr, state.users.find(key));
  for (const auto& key : state.images.sorted_keys()) on_row(nullptr, state.images.find(key));
  changed_images_.clear();
  for (const auto& key : state.folders.sorted_keys()) on_row(nullptr, state.folders.find(key));
  for (const auto& key : state.kernels.sorted_keys()) on_row(nullptr, state.kernels.find(key));
  for (const auto& [created, id] : state.pending()) add_pending(*state.sessions.find(id));
  for (const auto& key : state.sessions.sorted_keys()) describe_live(*state.sessions.find(key));
  for (const auto& key : state.turns.sorted_keys())
    if (cluster_.has_group(key)) cluster_.set_round_robin_index(key, state.turns.find(key)->turn);
}

// kNoSlot once the scheduler has as many slot types as it can take: a name that an agent brings must stop
// nobody.
placement::SlotId ClusterFeed::slot(const std::string& name) {
  if (const auto id = cluster_.find_slot(name)) return *id;
  if (!cluster_.takes_more_slots()) return placement::kNoSlot;
  return cluster_.define_slot(name, name == "mem" || name == kDiskSlot ? SlotKind::kBytes : SlotKind::kCount);
}

std::vector<placement::SlotAmount> ClusterFeed::slots(const std::vector<projections::SlotAmount>& amounts) {
  std::vector<placement::SlotAmount> out;
  out.reserve(amounts.size());
  for (const auto& a : amounts)
    if (const auto id = slot(a.slot); id != placement::kNoSlot) out.push_back({id, a.amount});
  return out;
}

std::vector<placement::SlotAmount> ClusterFeed::slots_of(const v1::RoleSpec& role) {
  std::vector<placement::SlotAmount> out;
  for (const auto& s : role.slots())
    if (const auto id = slot(s.slot()); id != placement::kNoSlot) out.push_back({id, s.amount()});
  return out;
}

void ClusterFeed::need_group(const std::string& name) {
  if (!cluster_.has_group(name)) cluster_.define_group(name, placement::GroupPolicy{});
}

void ClusterFeed::on_row(const SlotTypeRow*, const SlotTypeRow* after) {
  if (after == nullptr || (!cluster_.find_slot(after->def.name()) && !cluster_.takes_more_slots())) return;
  cluster_.define_slot(after->def.name(), static_cast<SlotKind>(after->def.kind()));
}

// A group that was removed has no agents and no sessions: the scheduler keeps its empty place.
void ClusterFeed::on_row(const GroupRow* before, const GroupRow* after) {
  if (after == nullptr) {
    learners_.erase(before->def.name());
    return;
  }
  placement::GroupPolicy policy;
  // Unknown names were refused where they were set (decide/define.cc): the defaults stand for a bug.
  placement::parse_order(after->def.order(), &policy.order);
  placement::parse_head_of_line(after->def.head_of_line(), &policy.head_of_line);
  placement::parse_select(after->def.select(), &policy.select);
  policy.custom = after->def.custom();
  policy.skip_after = after->def.skip_after();
  policy.skip_impossible = after->def.impossible() == "skip";
  if (after->def.slot_priority_size() > 0)
    policy.slot_priority.assign(after->def.slot_priority().begin(), after->def.slot_priority().end());
  for (const auto& d : after->def.devices()) {
    placement::SlotDevicePolicy entry{slot(d.slot()), {}};
    if (entry.slot == placement::kNoSlot) continue;
    placement::parse_spread(d.spread(), &entry.policy.spread);
    entry.policy.quantum = std::max<Amount>(1, d.quantum());
    entry.policy.allow_fragments = d.allow_fragments();
    policy.devices.push_back(entry);
  }
  for (const auto& set : after->def.exclusive()) {
    auto& slots = policy.exclusive.emplace_back();
    for (const auto& name : set.slots()) slots.push_back(slot(name));
  }
  policy.preemption = preemption_of(after->def);
  policy.fair_share = fair_share_settings(after->def.fair_share());
  fair_share_.on_group(after->def);
  learn_from(after->def.name(), policy);
  cluster_.define_group(after->def.name(), policy);
}

void ClusterFeed::upsert(const AgentRow& row) {
  if (row.group.empty()) return cluster_.remove_agent(row.name);  // never joined, or of no group by now
  need_group(row.group);
  placement::AgentSpec spec;
  spec.id = row.name;
  spec.group = row.group;
  spec.arch = row.architecture;
  spec.slots = slots(row.slots);
  for (const auto& d : row.devices) spec.devices.push_back({d.id, d.numa, slots(d.slots), {}});
  if (row.max_containers != 0) spec.max_containers = row.max_containers;
  spec.schedulable = row.state == AgentState::kAlive && !unreachable_.contains(row.name);
  spec.draining = row.draining || !row.unfit.empty();
  for (const auto& volume : row.volumes) spec.volumes.emplace_back(volume.id.view());
  cluster_.upsert_agent(spec);
}

void ClusterFeed::on_row(const AgentRow* before, const AgentRow* after) {
  if (after == nullptr) {
    if (before != nullptr) cluster_.remove_agent(before->name);
    fair_share_.on_agents();
    return;
  }
  if (before == nullptr || before->joined != after->joined) unreachable_.erase(after->name);  // it was heard
  upsert(*after);
  fair_share_.on_agents();
}

void ClusterFeed::set_reachable(const std::string& agent, bool reachable) {
  if (reachable)
    unreachable_.erase(agent);
  else
    unreachable_.insert(agent);
  cluster_.set_agent_schedulable(agent, reachable);
  fair_share_.on_agents();
}

// Reasons that the scheduler does not know (a failed start) count as none: the next pass records its own.
placement::Reason ClusterFeed::recorded_reason(const SessionRow& row) {
  const placement::Code code = placement::find_code(row.reason_code);
  if (code == placement::Code::kNone) return {};
  return {code, row.reason_slot.empty() ? placement::kNoSlot : slot(row.reason_slot)};
}

placement::WaitCause ClusterFeed::recorded_wait_cause(const SessionRow& row) {
  const placement::Code code = placement::find_code(row.reason_code);
  const bool held = code == placement::Code::kStartTime || code == placement::Code::kDependency ||
                    code == placement::Code::kLimit || code == placement::Code::kUnknownSlot ||
                    code == placement::Code::kOwnerDisabled || code == placement::Code::kImageBuilding ||
                    code == placement::Code::kImageBuildFailed;
  return held ? placement::Reason{code, placement::kNoSlot} : placement::Reason{};
}

void ClusterFeed::withhold(const SessionRow& row) {
  withheld_.insert(row.id);
  if (!projections::is_waiting(row.status)) return;
  cluster_.release(row.id);
  cluster_.remove_pending(row.id);
  before_start_.erase({earliest_start(row), row.id});
  limits_.forget(row);
}

void ClusterFeed::on_row(const QuarantineRow* before, const QuarantineRow* after) {
  constexpr std::string_view kSession = "session:";
  if (before == nullptr || after != nullptr || !before->what.starts_with(kSession)) return;
  if (const auto id = Uuid::parse(before->what.substr(kSession.size()))) released_.emplace_back(*id);
}

void ClusterFeed::on_row(const projections::UserRow* before, const projections::UserRow* after) {
  const std::string& user = (after != nullptr ? after : before)->def.name();
  const bool disabled = after != nullptr && after->def.disabled();
  if (disabled == disabled_.contains(user)) return;
  if (disabled)
    disabled_.insert(user);
  else
    disabled_.erase(user);
  switched_.insert(user);
}

void ClusterFeed::switch_users(const State& state) {
  if (switched_.empty()) return;
  for (const auto& [arrived, id] : state.pending()) {
    const SessionRow& row = *state.sessions.find(id);
    const bool waits = row.status == SessionStatus::kPending && !withheld_.contains(id);
    if (waits && switched_.contains(row.owner->owner.user())) cluster_.set_wait_cause(id, wait_cause_of(row));
  }
  switched_.clear();
}

void ClusterFeed::on_row(const projections::ImageRow* before, const projections::ImageRow* after) {
  const std::string& reference = (after != nullptr ? after : before)->def.reference();
  ImageFacts facts;
  if (after != nullptr) {
    facts.architecture = after->def.architecture();
    if (!after->is_usable())
      facts.missing =
          after->build->failed() ? placement::Code::kImageBuildFailed : placement::Code::kImageBuilding;
  }
  if (ImageFacts& known = images_[reference]; known != facts) {
    known = std::move(facts);
    changed_images_.insert(reference);
  }
  if (after == nullptr) images_.erase(reference);
}

const ClusterFeed::ImageFacts& ClusterFeed::facts_of_image(const v1::SessionSpec& spec,
                                                           const v1::RoleSpec& role) const {
  static const ImageFacts kUnknown;
  const auto found = images_.find(projections::image_of(spec, role));
  return found == images_.end() ? kUnknown : found->second;
}

bool ClusterFeed::uses_changed_image(const SessionRow& row) const {
  const auto& spec = row.spec->spec;
  return std::ranges::any_of(spec.roles(), [&](const v1::RoleSpec& role) {
    return changed_images_.contains(projections::image_of(spec, role));
  });
}

// A session that was asked for while its image was built learns from the image what it runs on.
void ClusterFeed::change_images(const State& state) {
  if (changed_images_.empty()) return;
  for (const auto& [arrived, id] : state.pending()) {
    const SessionRow& row = *state.sessions.find(id);
    if (row.status == SessionStatus::kPending && uses_changed_image(row)) add_pending(row);
  }
  changed_images_.clear();
}

void ClusterFeed::on_row(const projections::FolderRow* before, const projections::FolderRow* after) {
  if (after != nullptr)
    folder_volumes_[after->id] = after->volume;
  else
    folder_volumes_.erase(before->id);
}

// Of a folder that is not there no agent has the volume.
std::vector<std::string> ClusterFeed::volumes_of(const v1::SessionSpec& spec) const {
  std::vector<std::string> out;
  for (const auto& mount : spec.mounts()) {
    const auto id = Uuid::from_bytes(mount.folder());
    const auto found = id ? folder_volumes_.find(FolderId(*id)) : folder_volumes_.end();
    out.emplace_back(found == folder_volumes_.end() ? std::string_view("none") : found->second.view());
  }
  return out;
}

void ClusterFeed::add_pending(const SessionRow& row) {
  if (withheld_.contains(row.id)) return;
  const auto& spec = row.spec->spec;
  need_group(spec.group());
  placement::PendingSpec pending;
  pending.id = row.id;
  pending.group = spec.group();
  pending.created = row.created_at;
  pending.arrival = row.created.epoch << 48 ^ row.created.sequence << 12 ^ row.created.index;
  pending.priority = spec.priority();
  pending.domain = row.owner->owner.domain();
  pending.project = project_id(row.owner->owner);
  pending.user = row.owner->owner.user();
  fair_share_.on_owner(spec.group(), *row.owner);
  for (const auto& role : spec.roles()) {
    placement::KernelSpec kernel;
    kernel.slots = slots_of(role);
    kernel.arch = role.architecture().empty() ? spec.architecture() : role.architecture();
    if (kernel.arch.empty()) kernel.arch = facts_of_image(spec, role).architecture;
    kernel.count = role.count();
    pending.kernels.push_back(std::move(kernel));
  }
  pending.mode = spec.mode() == v1::MULTI_NODE ? placement::Mode::kMultiNode : placement::Mode::kSingleNode;
  pending.designated.agents.assign(spec.agents().begin(), spec.agents().end());
  pending.designated.strict = spec.agent_rule() != v1::AGENT_PREFERRED;
  pending.volumes = volumes_of(spec);
  pending.session_group = session_group_of(row);
  for (const auto& failed : row.failed_on)
    if (failed.until > now_) pending.failed_on.push_back({failed.agent, failed.until});
  pending.job_priority = spec.job_priority();
  pending.preemptible = !spec.not_preemptible();
  pending.system = spec.type() == v1::SYSTEM;
  pending.retries = row.retries;
  pending.timeout_s =
      static_cast<std::uint32_t>(std::min<std::int64_t>(spec.batch_timeout_ms() / 1000, UINT32_MAX));
  if (earliest_start(row) > now_) before_start_.insert({earliest_start(row), row.id});
  pending.wait_cause = wait_cause_of(row);
  const auto added = cluster_.add_pending(pending);
  BERTH_CHECK(added.ok(), "an admitted session is one that the scheduler takes");
  if (!row.reason_code.empty()) cluster_.set_recorded_reason(row.id, recorded_reason(row));
  if (row.status == SessionStatus::kReserved) reserve(row);
}

// A no-op where the pass itself did it.
void ClusterFeed::reserve(const SessionRow& row) {
  limits_.reserved(row.id);
  if (cluster_.is_reserved(row.id)) return;
  const auto& spec = row.spec->spec;
  std::vector<std::vector<placement::SlotAmount>> asked;
  std::vector<std::vector<placement::PlacedDevice>> devices;
  for (const auto& place : row.places) {
    asked.push_back(slots_of(spec.roles(static_cast<int>(place.role))));
    devices.emplace_back();
    for (const auto& share : place.devices)
      if (const auto id = slot(share.slot); id != placement::kNoSlot)
        devices.back().push_back({share.device, id, share.amount});
  }
  std::vector<placement::PlacedKernel> kernels;
  for (std::size_t i = 0; i < row.places.size(); ++i) {
    const auto& place = row.places[i];
    kernels.push_back({kernel_index(spec, place.role, place.index), place.agent, asked[i], devices[i]});
  }
  cluster_.reserve(row.id, kernels);
}

void ClusterFeed::on_row(const SessionRow* before, const SessionRow* after) {
  const bool was = before != nullptr && projections::is_waiting(before->status);
  const bool is = after != nullptr && projections::is_waiting(after->status);
  if (was && !is) {
    cluster_.remove_pending(before->id);
    before_start_.erase({earliest_start(*before), before->id});
    limits_.forget(*before);
  } else if (is && !was) {
    add_pending(*after);
  } else if (is && before->status != after->status) {
    if (after->status == SessionStatus::kReserved)
      reserve(*after);
    else
      limits_.forget(*after);
    if (after->status == SessionStatus::kPending && cluster_.is_reserved(after->id)) add_pending(*after);
  } else if (is && before->unmet != after->unmet) {
    cluster_.set_wait_cause(after->id, wait_cause_of(*after));
  }
  const bool late = was && after != nullptr && projections::is_end(after->status);  // a lost run's result
  if (after != nullptr && !after->kernel_ids.empty() && !late &&
      (before == nullptr || before->kernel_ids.empty() || before->is_leaving() != after->is_leaving() ||
       before->running_at != after->running_at))
    describe_live(*after);
  if (before == nullptr || (after != nullptr && before->status == after->status)) return;
  limits_.touch(*before->owner);
}

// What passes want to know of a session that holds slots. Order backfill counts on the end that it declared,
// from its placement on and from its start once that is known: from the row alone, so that a new leader, and
// who runs a past pass again, counts on the same.
void ClusterFeed::describe_live(const SessionRow& row) {
  if (row.kernel_ids.empty()) return;
  const auto& spec = row.spec->spec;
  placement::LiveFacts facts;
  facts.domain = row.owner->owner.domain();
  facts.project = project_id(row.owner->owner);  // as of who waits
  facts.session_group = session_group_name(row);
  facts.job_priority = spec.job_priority();
  facts.leaving = row.is_leaving();
  facts.preemptible = !spec.not_preemptible() && spec.type() != v1::SYSTEM && !facts.leaving;
  if (row.running_at != 0) facts.started = row.running_at;
  cluster_.set_live(row.id, facts);
  const std::int64_t timeout = row.spec->spec.batch_timeout_ms();
  if (timeout > 0)
    cluster_.set_declared_end(
        row.id, (row.running_at != 0 ? row.running_at : row.scheduled_at) + timeout * kMillisecond);
}

void ClusterFeed::on_row(const LimitRow* before, const LimitRow* after) {
  limits_.touch((after != nullptr ? after : before)->key());
}

bool ClusterFeed::knows_slots(const SessionRow& row) const {
  for (const auto& role : row.spec->spec.roles())
    for (const auto& slot : role.slots())
      if (!cluster_.find_slot(slot.slot())) return false;
  return true;
}

// A slot type beyond the scheduler's own bound, start time, dependencies, a disabled owner, then images;
// limits are asked about when the session would be tried.
placement::WaitCause ClusterFeed::wait_cause_of(const SessionRow& row) const {
  if (!cluster_.takes_more_slots() && !knows_slots(row))
    return {placement::Code::kUnknownSlot, placement::kNoSlot};
  if (before_start_.contains({earliest_start(row), row.id}))
    return {placement::Code::kStartTime, placement::kNoSlot};
  if (!row.unmet.empty()) return {placement::Code::kDependency, placement::kNoSlot};
  if (disabled_.contains(row.owner->owner.user()))
    return {placement::Code::kOwnerDisabled, placement::kNoSlot};
  for (const auto& role : row.spec->spec.roles())
    if (const auto missing = facts_of_image(row.spec->spec, role).missing; missing != placement::Code::kNone)
      return {missing, placement::kNoSlot};
  return {};
}

void ClusterFeed::lift_limits(const State& state) {
  limits_.lift(state, [this](const SessionRow& row) { cluster_.set_wait_cause(row.id, wait_cause_of(row)); });
}

void ClusterFeed::reach_start_times(const State& state, Timestamp now) {
  while (!before_start_.empty() && before_start_.begin()->first <= now) {
    const SessionId id = before_start_.begin()->second;
    before_start_.erase(before_start_.begin());
    cluster_.set_wait_cause(id, wait_cause_of(*state.sessions.find(id)));
  }
}

void ClusterFeed::occupy(const KernelRow& row) {
  const std::vector<placement::SlotAmount> asked = slots_of(row.role_spec());
  std::vector<placement::PlacedDevice> devices;
  for (const auto& share : row.devices)
    if (const auto id = slot(share.slot); id != placement::kNoSlot)
      devices.push_back({share.device, id, share.amount});
  const placement::PlacedKernel kernel{kernel_index(row.spec->spec, row.role, row.index), row.agent, asked,
                                       devices};
  cluster_.occupy(row.session, {&kernel, 1}, row.owner->owner.user());
}

void ClusterFeed::on_row(const KernelRow* before, const KernelRow* after) {
  const bool held = before != nullptr && before->holds_slots();
  const bool holds = after != nullptr && after->holds_slots();
  fair_share_.on_kernel(before, after, cluster_);
  if (!held && holds) {
    occupy(*after);
  } else if (held && !holds) {
    cluster_.release(before->session, kernel_index(before->spec->spec, before->role, before->index));
    freed_ = true;
    limits_.touch(*before->owner);
  }
}

}  // namespace berth::controller
