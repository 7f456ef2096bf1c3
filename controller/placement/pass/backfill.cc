#include "controller/placement/pass/backfill.h"

#include <algorithm>

#include "controller/placement/cluster/ledger.h"
#include "controller/placement/model/catalog.h"
#include "controller/placement/model/members.h"
#include "controller/placement/order/queue.h"
#include "controller/placement/pass/try_session.h"
#include "controller/placement/select/fit.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

namespace {

// The group as it will be: live sessions end in order of their declared ends; all is as before when this
// goes.
class Forecast {
 public:
  Forecast(Model& model, Group& group)
      : model_(model), group_(group), changes_(group.changes), next_(group.ends.begin()) {}
  Forecast(const Forecast&) = delete;
  ~Forecast() {
    for (auto kernel = ended_.rbegin(); kernel != ended_.rend(); ++kernel) {
      take(model_, (*kernel)->requirement, (*kernel)->agent, (*kernel)->devices.view());
    }
    for (const LiveIndex live : over_) assume_members(model_, model_.live[live], 1);
    group_.changes = changes_;
  }

  // Goes on to the next declared end. Returns false if there is none.
  bool advance() {
    touched_.clear();
    if (next_ == group_.ends.end()) return false;
    at_ = next_->first;
    for (; next_ != group_.ends.end() && next_->first == at_; ++next_) {
      assume_members(model_, model_.live[next_->second], -1);
      over_.push_back(next_->second);
      for (const Live::Kernel& kernel : model_.live[next_->second].kernels.view()) {
        if (model_.agents[kernel.agent].group != group_id()) continue;
        undo_take(model_, kernel.requirement, kernel.agent, kernel.devices.view());
        ended_.push_back(&kernel);
        touched_.push_back(kernel.agent);
      }
    }
    return true;
  }
  Timestamp at() const { return at_; }

  // Whether anything that ended now makes room for a kernel of the session: only then is it worth looking.
  bool may_fit(const SessionClass& wanted) {
    if (wanted.key.waits_for_members())
      return true;  // a session that ended elsewhere may have been the member that kept this one from here
    std::vector<KernelPlacement> ignored;
    Fitter& fitter = group_.index->fitter();
    const auto fits = [&](const Need& need) {
      return std::any_of(touched_.begin(), touched_.end(), [&](AgentIndex agent) {
        return fitter.fit(model_, model_.agents[agent], need, &ignored) == Code::kNone;
      });
    };
    if (wanted.key.mode == Mode::kSingleNode) return fits(wanted.need);
    return std::any_of(wanted.key.kernels.begin(), wanted.key.kernels.end(),
                       [&](const KernelCount& kernel) { return fits(need_of(model_, kernel.requirement)); });
  }

 private:
  GroupIndex group_id() const { return model_.index_of(group_); }

  Model& model_;
  Group& group_;
  std::uint64_t changes_;
  Timestamp at_ = 0;
  std::set<std::pair<Timestamp, LiveIndex>>::const_iterator next_;
  std::vector<const Live::Kernel*> ended_;
  std::vector<LiveIndex> over_;
  std::vector<AgentIndex> touched_;
};

// What is left on the agents of the place, as it is now, with the head in it.
std::vector<HeadReservation::Rest> rests_of(const Model& model, const SessionClass& wanted,
                                            const std::vector<KernelPlacement>& kernels) {
  std::vector<HeadReservation::Rest> rests;
  const std::vector<RequirementIndex> requirements = requirements_of(wanted.key);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto same = [&](const HeadReservation::Rest& rest) { return rest.agent == kernels[i].agent; };
    auto rest = std::find_if(rests.begin(), rests.end(), same);
    if (rest == rests.end()) {
      const Agent& agent = model.agents[kernels[i].agent];
      rest = rests.insert(rests.end(), {kernels[i].agent, agent.cells, agent.containers});
    }
    apply_to_cells(rest->cells, model.requirements[requirements[i]], kernels[i].devices, 1);
    ++rest->containers;
  }
  return rests;
}

// While this lives, the agents of the head reservation have only what is left beside it.
class BesideOnly {
 public:
  BesideOnly(Model& model, Group& group, const HeadReservation& reservation) : model_(model), group_(group) {
    for (const HeadReservation::Rest& rest : reservation.rests) {
      Hidden hidden{rest.agent, {}, 0};
      const Agent& agent = model.agents[rest.agent];
      for (const SlotCell& cell : agent.cells) {
        const Amount more = used_at(rest.cells, cell.slot, cell.device) - cell.used;
        if (more > 0) hidden.cells.push_back({.slot = cell.slot, .device = cell.device, .used = more});
      }
      if (rest.containers > agent.containers) hidden.containers = rest.containers - agent.containers;
      hidden_.push_back(std::move(hidden));
    }
    apply(1);
  }
  BesideOnly(const BesideOnly&) = delete;
  ~BesideOnly() { apply(-1); }

 private:
  struct Hidden {
    AgentIndex agent;
    std::vector<SlotCell> cells;
    std::uint32_t containers;
  };
  static Amount used_at(const std::vector<SlotCell>& cells, SlotId slot, DeviceIndex device) {
    for (const SlotCell& cell : cells) {
      if (cell.slot == slot && cell.device == device) return cell.used;
    }
    return 0;
  }
  void apply(int sign) {
    for (const Hidden& hidden : hidden_) {
      Agent& agent = model_.agents[hidden.agent];
      for (const SlotCell& more : hidden.cells) {
        for (SlotCell& cell : agent.cells) {
          if (cell.slot == more.slot && cell.device == more.device) cell.used += sign * more.used;
        }
      }
      agent.containers += static_cast<std::uint32_t>(sign) * hidden.containers;
      group_.index->changed(model_, hidden.agent);
    }
  }

  Model& model_;
  Group& group_;
  std::vector<Hidden> hidden_;
};

// It will still be there when the head comes.
void charge(const Model& model, HeadReservation& reservation, const SessionId& started) {
  for (const Live::Kernel& kernel : model.live[model.find_live(started)].kernels.view()) {
    for (HeadReservation::Rest& rest : reservation.rests) {
      if (rest.agent != kernel.agent) continue;
      apply_to_cells(rest.cells, model.requirements[kernel.requirement], kernel.devices.view(), 1);
      ++rest.containers;
    }
  }
}

}  // namespace

bool reserve_head(Model& model, Group& group, PendingIndex head) {
  const Pending& waiting = model.pending[head];
  const HeadReservation* known = group.head_reservation.get();
  const bool holds = known != nullptr && known->gains == group.gains && known->losses == group.losses;
  if (holds && std::find(known->hopeless.begin(), known->hopeless.end(), waiting.id) != known->hopeless.end())
    return false;
  if (!holds || known->head != waiting.id) {
    const SessionClass& wanted = model.classes[waiting.session_class];
    auto made = std::make_unique<HeadReservation>();
    made->head = waiting.id;
    made->serial = ++group.head_reservations;
    made->gains = group.gains;
    made->losses = group.losses;
    if (holds) made->hopeless = known->hopeless;
    for (Forecast forecast(model, group); forecast.advance();) {
      if (!forecast.may_fit(wanted) || !find_places(model, group, wanted, &made->kernels)) continue;
      made->at = forecast.at();
      made->rests = rests_of(model, wanted, made->kernels);
      break;
    }
    const bool hopeless = made->rests.empty();
    if (hopeless) made->kernels.clear();
    std::vector<SessionId>& remembered = holds ? group.head_reservation->hopeless : made->hopeless;
    if (hopeless) remembered.push_back(waiting.id);
    if (!hopeless || !holds)
      group.head_reservation = std::move(made);  // a session that is no head leaves the reservation as it is
    if (hopeless) return false;
  }
  return !group.head_reservation->kernels.empty();
}

namespace {

// It would be a member where the head wants none, or the one that the head has to stand with.
bool joins_strictly(const Model& model, const ClassKey& key, const SessionId& head) {
  const ClassKey& strict = model.classes[model.pending[model.find_pending_index(head)].session_class].key;
  return strict.rule_strict && strict.rule != GroupRule::kNone && strict.session_group == key.session_group;
}

}  // namespace

bool over_in_time(const Model& model, const Group& group, const Pending& session) {
  if (joins_strictly(model, model.classes[session.session_class].key, group.head_reservation->head))
    return false;
  return session.timeout_s > 0 && model.now + session.timeout_s * kSecond <= group.head_reservation->at;
}

Reason try_behind(Model& model, Group& group, PendingIndex session, Places* places) {
  const SessionId id = model.pending[session].id;
  SessionClass& wanted = model.classes[model.pending[session].session_class];
  HeadReservation& head = *group.head_reservation;
  const auto still_holds = [&] {  // the head's time and place are what they were
    head.gains = group.gains;
    head.losses = group.losses;
  };
  if (over_in_time(model, group, model.pending[session])) {
    const Reason reason = try_session(model, group, session, places);
    still_holds();
    return reason;
  }
  std::vector<KernelPlacement> found;
  bool beside = false;
  if (!joins_strictly(model, wanted.key, head.head)) {
    const BesideOnly mask(model, group, head);
    beside = find_places(model, group, wanted, &found);
    if (beside) try_session(model, group, session, places);
  }
  if (beside) {
    charge(model, head, id);
    still_holds();
    return {};
  }
  if (!find_places(model, group, wanted, &found)) return try_session(model, group, session, places);
  wanted.behind = head.serial;
  return {Code::kBehindHead, kNoSlot};
}

}  // namespace berth::placement
