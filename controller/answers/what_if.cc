#include "controller/answers/what_if.h"

#include <algorithm>

#include "controller/placement/cluster/held_place.h"
#include "controller/placement/model/catalog.h"
#include "controller/placement/order/queue.h"
#include "controller/placement/pass/diagnose.h"
#include "controller/placement/pass/gang.h"
#include "controller/placement/pass/impossible.h"
#include "controller/placement/pass/try_session.h"
#include "controller/placement/select/round_robin.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

namespace {

constexpr std::uint64_t kSearchWork = 8;  // a search of the index, in looks at an agent

void add_once(std::vector<AgentIndex>* agents, AgentIndex agent) {
  if (std::find(agents->begin(), agents->end(), agent) == agents->end()) agents->push_back(agent);
}

// Which of the session's kernel specs kernel number `kernel` is of.
std::size_t part_of(const ClassKey& key, std::size_t kernel) {
  std::size_t part = 0;
  for (; part + 1 < key.kernels.size() && kernel >= key.kernels[part].count; ++part)
    kernel -= key.kernels[part].count;
  return part;
}

}  // namespace

WhatIf::WhatIf(Model& model, PendingIndex session, Work* work, MayStart may_start, Timestamp now)
    : model_(model),
      group_(model.groups[model.classes[model.pending[session].session_class].key.group]),
      session_(session),
      work_(work),
      may_start_(std::move(may_start)),
      walks_(stands_still()),
      trial_(model, session, work, may_start_, now) {}

void WhatIf::ask(const ClassKey* key, const Need* need) {
  if (key != nullptr || asked_key_ != nullptr)
    kernel_needs_.clear();  // its requirements are made for the question only
  asked_key_ = key;
  asked_need_ = need;
}

void WhatIf::reset() {
  undo_to(0);
  changed_.clear();
  ended_.clear();
  gone_.clear();
  ask(nullptr, nullptr);
}

// ---- changes and their undoing ----

bool WhatIf::stands_still() const {
  const GroupPolicy& policy = group_.policy;
  const bool keys_stay = policy.order == Order::kFifo || policy.order == Order::kLifo;
  if (!keys_stay || group_.custom != nullptr || policy.preemption.enabled) return false;
  if (!model_.members.empty() || !model_.held_places.empty()) return false;
  for (const auto& [lane_key, lane] : group_.lanes) {
    for (const auto& [class_index, queue] : lane.queues) {
      if (model_.classes[class_index].key.session_group != 0) return false;
    }
  }
  return model_.classes[model_.pending[session_].session_class].key.session_group == 0;
}

void WhatIf::apply(const Step& step) {
  Agent& agent = model_.agents[step.agent];
  apply_to_cells(agent.cells, model_.requirements[step.requirement], step.devices, step.sign);
  agent.containers += static_cast<std::uint32_t>(step.sign);
}

void WhatIf::end(LiveIndex index) {
  ended_.push_back(index);
  for (const Live::Kernel& kernel : model_.live[index].kernels.view()) {
    const Agent& agent = model_.agents[kernel.agent];
    if (agent.group != model_.index_of(group_)) continue;
    steps_.push_back({kernel.requirement, kernel.agent, kernel.devices.view(), -1});
    apply(steps_.back());
    add_once(&changed_, kernel.agent);
    behind_ = true;
  }
}

void WhatIf::undo_to(std::size_t count) {
  if (steps_.size() == count) return;
  while (steps_.size() > count) {
    Step step = steps_.back();
    steps_.pop_back();
    step.sign = -step.sign;
    apply(step);
    if (step.sign < 0) taken_.pop_back();  // one placement a step that takes, and takes come last
  }
  changed_.clear();
  for (const Step& step : steps_) add_once(&changed_, step.agent);
  for (const AgentIndex agent : followed_) group_.index->changed(model_, agent);
  if (count > 0) return;
  followed_.clear();
  behind_ = false;
}

void WhatIf::follow() {
  if (!behind_) return;
  for (const AgentIndex agent : changed_) {
    add_once(&followed_, agent);
    group_.index->changed(model_, agent);
  }
  behind_ = false;
}

// ---- one session ----

const Need& WhatIf::kernel_need(RequirementIndex requirement) {
  const auto found = kernel_needs_.find(requirement);
  if (found != kernel_needs_.end()) return found->second;
  return kernel_needs_.emplace(requirement, need_of(model_, requirement)).first->second;
}

WhatIf::Request WhatIf::request_of(PendingIndex session) const {
  const ClassIndex index = model_.pending[session].session_class;
  return {&model_.classes[index].key, &model_.classes[index].need, index};
}

WhatIf::Request WhatIf::own_request() const {
  if (asked_key_ != nullptr) return {asked_key_, asked_need_, kNothing};
  return request_of(session_);
}

bool WhatIf::fits_on_changed(const Request& request) {
  if (changed_.empty()) return false;
  Fitter& fitter = group_.index->fitter();
  const auto fits = [&](const Need& need) {
    work_->spend(changed_.size());
    return std::any_of(changed_.begin(), changed_.end(), [&](AgentIndex agent) {
      return fitter.fit(model_, model_.agents[agent], need, &found_) == Code::kNone;
    });
  };
  if (request.key->mode == Mode::kSingleNode) return fits(*request.need);
  return std::any_of(request.key->kernels.begin(), request.key->kernels.end(),
                     [&](const KernelCount& kernel) { return fits(kernel_need(kernel.requirement)); });
}

// The last pass refused its class and nothing that was freed since (here: on changed_) suits it. Kernels that
// share an agent are mapped one after the other, and then less room may by chance suit better: those are
// always searched anew.
bool WhatIf::is_refused_as_before(const Request& request) {
  if (request.session_class == kNothing) return false;
  return was_refused(request.session_class) && !fits_on_changed(request);
}

// Asked for each class in each run, and the same in all of them.
bool WhatIf::was_refused(ClassIndex session_class) {
  if (refused_.empty()) refused_.assign(model_.classes.size(), Refused::kUnknown);
  Refused& known = refused_[session_class];
  if (known == Refused::kUnknown) {
    const bool refused =
        is_simple(session_class) && known_refusal(model_, group_, session_class).code != Code::kNone;
    known = refused ? Refused::kYes : Refused::kNo;
  }
  return known == Refused::kYes;
}

bool WhatIf::is_simple(ClassIndex session_class) const {
  const SessionClass& known = model_.classes[session_class];
  return known.key.kernels.size() == 1 && (known.kernels == 1 || known.key.mode == Mode::kMultiNode);
}

WhatIf::Outcome WhatIf::try_placing(const Request& request) {
  if (is_refused_as_before(request)) return {};
  follow();
  return place(request);
}

// Searches as the pass does; what is placed is taken. Refused: nothing is.
WhatIf::Outcome WhatIf::place(const Request& request) {
  Outcome outcome;
  const std::size_t before = steps_.size();
  outcome.placed = place_kernels(request, &outcome);
  if (!outcome.placed)
    undo_to(before);
  else
    move_turn(group_, request.key->mode, steps_.size() - before);
  return outcome;
}

bool WhatIf::place_kernels(const Request& request, Outcome* outcome) {
  const auto take = [&](RequirementIndex requirement, KernelPlacement& placement) {
    taken_.push_back(std::move(placement));
    const KernelPlacement& kept = taken_.back();
    steps_.push_back({requirement, kept.agent, kept.devices, 1});
    apply(steps_.back());
    add_once(&changed_, kept.agent);
    add_once(&followed_, kept.agent);
  };
  const ClassKey& key = *request.key;
  if (key.mode == Mode::kSingleNode) {
    work_->spend(kSearchWork);
    if (find_for(model_, group_, key, *request.need, &found_) == kNoAgent) return false;
    std::size_t kernel = 0;
    for (const KernelCount& part : key.kernels) {
      for (std::uint32_t i = 0; i < part.count; ++i) take(part.requirement, found_[kernel++]);
    }
    group_.index->changed(model_, taken_.back().agent);
    return true;
  }
  Places places;
  const std::uint64_t changes = group_.changes;
  const bool all = take_gang(model_, group_, key, &places);
  give_back_places(model_, places);  // taken again below, as steps that can be undone
  group_.changes = changes;
  work_->spend(kSearchWork * (places.placements.size() + 1));
  if (!all) {
    outcome->part = part_of(key, places.placements.size());
    return false;
  }
  for (std::size_t i = 0; i < places.placements.size(); ++i) {
    take(places.requirements[i], places.placements[i]);
    group_.index->changed(model_, taken_.back().agent);
  }
  return true;
}

bool WhatIf::alone(std::size_t* part) {
  const WhileTurning turn(group_);
  const std::size_t before = steps_.size();
  const Outcome outcome = try_placing(own_request());
  if (part != nullptr) *part = outcome.part;
  undo_to(before);
  return outcome.placed;
}

// ---- one pass ----

struct WhatIf::Walk {
  QueueKey own_key;
  LaneKey own_lane;
  Run run;
  bool own_class_refused = false;
};

bool WhatIf::is_gone(PendingIndex session) const {
  return std::find(gone_.begin(), gone_.end(), session) != gone_.end();
}

// Whether the group skips the request as impossible. One that is only asked about has no class to judge.
bool WhatIf::is_never(const Request& request) {
  if (!group_.policy.skip_impossible || request.session_class == kNothing) return false;
  follow();  // judging takes what it finds in the index
  return impossible(model_, group_, model_.classes[request.session_class]).code != Code::kNone;
}

// Whether a refusal of this part ends the pass: filters alone refuse without blocking, and no room that is
// freed changes that.
bool WhatIf::blocks(const LaneKey& lane, const Request& request, std::size_t part) {
  if (lane.demoted || group_.policy.head_of_line == HeadOfLine::kGreedy) return false;
  const bool single = request.key->mode == Mode::kSingleNode;
  const Need& need = single ? *request.need : kernel_need(request.key->kernels[part].requirement);
  const auto [known, is_new] = may_block_.emplace(std::pair{need.arch, request.key}, false);
  if (!is_new) return known->second;
  if (is_never(request)) return false;
  const Choice choice(model_, group_, *request.key);
  for (const auto& [label, agent] : group_.agents) {
    work_->spend(1);
    const Verdict verdict = judge(model_, model_.agents[agent], need, choice, group_.index->fitter());
    if (verdict.code == Code::kNone || is_blocking(verdict.code)) return known->second = true;
  }
  return false;
}

// The pass has come to the session. True: the walk is over.
bool WhatIf::try_own(Walk* walk) {
  if (walk->own_class_refused && asked_key_ == nullptr) return true;
  const std::size_t before = taken_.size();
  const Outcome outcome = try_placing(own_request());
  walk->run.started = outcome.placed;
  walk->run.part = outcome.part;
  walk->run.placements.assign(taken_.begin() + static_cast<std::ptrdiff_t>(before), taken_.end());
  return true;
}

// Most heads of a long queue: refused as before, blocking nobody. Their queue need not be looked at.
bool WhatIf::passed_over(const LaneKey& lane, const Head& head, Walk* walk) {
  const bool may_block = !lane.demoted && group_.policy.head_of_line != HeadOfLine::kGreedy;
  if (may_block || !gone_.empty() || may_start_ || (lane == walk->own_lane && !(head.key < walk->own_key)))
    return false;
  const SessionClass& known = model_.classes[head.session_class];
  if (!is_refused_as_before({&known.key, &known.need, head.session_class})) return false;
  work_->spend(1);
  walk->run.first = false;
  if (head.session_class == model_.pending[session_].session_class) walk->own_class_refused = true;
  return true;
}

// True: the walk is over. The heads of the classes in order, as the pass takes them: of a class that is
// refused nobody else is tried, after a start the next of its class has its turn.
bool WhatIf::walk_lane(const LaneKey& lane_key, const Lane& lane, Walk* walk) {
  const bool own_lane = lane_key == walk->own_lane;
  std::map<QueueKey, std::pair<ClassIndex, Ranked<Queued>::const_iterator>>
      next;  // classes whose head has started
  auto head = lane.heads.begin();
  while (head != lane.heads.end() || !next.empty()) {
    const bool from_next = head == lane.heads.end() || (!next.empty() && next.begin()->first < head->key);
    const ClassIndex index = from_next ? next.begin()->second.first : head->session_class;
    if (!from_next && passed_over(lane_key, *head, walk)) {
      ++head;
      continue;
    }
    const auto& queue = lane.queues.at(index);
    auto at = from_next ? next.begin()->second.second : queue.begin();
    if (from_next)
      next.erase(next.begin());
    else
      ++head;
    if (own_lane && !(at->key < walk->own_key)) return try_own(walk);
    work_->spend(1);
    const auto advance = [&] {
      if (++at != queue.end()) next.emplace(at->key, std::pair{index, at});
    };
    if (is_gone(at->pending) || (may_start_ && !may_start_(at->key.id))) {
      advance();
      continue;
    }
    const Request request{&model_.classes[index].key, &model_.classes[index].need, index};
    walk->run.first = false;
    const Outcome outcome = try_placing(request);
    if (outcome.placed) {
      walk->run.started_too.push_back(at->pending);
      advance();
      if (work_->spent()) return true;
      continue;
    }
    if (index == model_.pending[session_].session_class) walk->own_class_refused = true;
    if (!blocks(lane_key, request, outcome.part)) continue;
    walk->run.blocker = at->pending;
    walk->run.part = outcome.part;
    return true;
  }
  return own_lane && try_own(walk);
}

// Those before it can only take room: where it does not fit on what was freed, who else starts does not
// matter.
bool WhatIf::is_hopeless() {
  return !steps_.empty() && gone_.empty() && group_.policy.head_of_line == HeadOfLine::kGreedy &&
         is_refused_as_before(own_request());
}

WhatIf::Run WhatIf::run(bool explain) {
  if (!can_walk()) return try_on_copy();
  Run run = walk(explain);
  run.undisturbed = run.blocker == kNothing && run.started_too.empty();
  return run;
}

// Why it finds no place beside those who started before it, as the pass works it out.
Reason WhatIf::explain_own() {
  const Request own = own_request();
  Fitter& fitter = group_.index->fitter();
  work_->spend(group_.agents.size());
  follow();
  if (is_never(own)) return impossible(model_, group_, model_.classes[own.session_class]);
  if (own.key->mode == Mode::kSingleNode)
    return reason_of(diagnose(model_, group_, *own.need, *own.key, fitter));
  Places places;
  const std::uint64_t changes = group_.changes;
  Reason reason;
  if (!take_gang(model_, group_, *own.key, &places)) {
    const Need& need = kernel_need(requirements_of(*own.key)[places.placements.size()]);
    reason = reason_of(diagnose(model_, group_, need, *own.key, fitter));
  }
  give_back_places(model_, places);
  group_.changes = changes;
  return reason;
}

WhatIf::Run WhatIf::walk(bool explain) {
  Walk walk;
  walk.own_key = key_of(group_, model_.pending[session_]);
  walk.own_lane = lane_of(model_.pending[session_]);
  if (is_hopeless()) {
    walk.run.first = false;
    return walk.run;
  }
  const WhileTurning turn(group_);
  const std::size_t before = steps_.size();
  bool over = false;
  for (const auto& [key, lane] : group_.lanes) {
    if (over || walk.own_lane < key) break;
    over = walk_lane(key, lane, &walk);
  }
  if (!over) try_own(&walk);  // it is held and its lane has nobody else
  if (explain && !walk.run.started && walk.run.blocker == kNothing) walk.run.reason = explain_own();
  undo_to(before);
  return walk.run;
}

// ---- on a copy ----

// With everything as the changes leave it: which part of that session's request finds no place.
std::size_t WhatIf::failed_part(PendingIndex session) {
  const WhileTurning turn(group_);
  const std::size_t before = steps_.size();
  follow();
  const Outcome outcome = place(session == session_ ? own_request() : request_of(session));
  undo_to(before);
  return outcome.placed ? 0 : outcome.part;
}

// As is_hopeless(): now nobody starts, and it fits nowhere; what was freed is no place for it either. Not
// where an end changes more than room: whom the reserved head lets pass, or which agents a session group may
// take.
bool WhatIf::is_hopeless_on_copy() {
  const GroupPolicy& policy = group_.policy;
  const bool room_alone = policy.head_of_line == HeadOfLine::kGreedy && policy.order != Order::kBackfill &&
                          model_.members.empty();
  if (!room_alone || steps_.empty() || !gone_.empty() || !trial_.is_quiet()) return false;
  const Request own = own_request();
  if (own.session_class == kNothing || !is_simple(own.session_class)) return false;
  const Code code = trial_.as_things_are().reason.code;
  return code != Code::kNone && code != Code::kBehindHead && !fits_on_changed(own);
}

WhatIf::Run WhatIf::try_on_copy() {
  Run run;
  run.first = false;  // who was tried before it is not heard of
  if (is_hopeless_on_copy()) return run;
  const std::vector<LiveIndex> ended = ended_;
  undo_to(0);  // the copy is of what is
  ended_.clear();
  const Trial::Run tried = trial_.run({ended, gone_, asked_key_});
  for (const LiveIndex live : ended) end(live);
  run.made = tried.made;
  if (!tried.made) return run;
  run.started = tried.started;
  run.placements = tried.placements;
  run.victims = tried.victims;
  run.reason = tried.reason;
  const auto add = [&](const SessionId& id, std::vector<PendingIndex>* to) {
    if (const PendingIndex index = model_.find_pending_index(id); index != kNothing && index != session_)
      to->push_back(index);
  };
  for (const SessionId& id : tried.started_too) add(id, &run.started_too);
  for (const SessionId& id : tried.reserved_too) add(id, &run.reserved_too);
  for (const PendingIndex reserved : reserved_in_order(model_, group_))
    add(model_.pending[reserved].id, &run.reserved_too);
  if (!tried.head.is_nil()) {
    std::vector<PendingIndex> head;
    add(tried.head, &head);
    if (head.empty()) return run;
    if (tried.reason.code == Code::kBehindHead) run.blocker = head.front();
    if (group_.policy.order == Order::kBackfill) run.reserved_too.push_back(head.front());
  }
  run.undisturbed = run.blocker == kNothing && run.started_too.empty() && run.reserved_too.empty();
  if (!run.started) run.part = failed_part(run.blocker == kNothing ? session_ : run.blocker);
  return run;
}

}  // namespace berth::placement
