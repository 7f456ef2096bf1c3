#include "tests/simulation/sim_users.h"

#include <algorithm>

namespace berth::simulation {
namespace {

std::string request_key(const v1::Request& request) {
  return projections::RequestRow::make_key(request.actor(), *Uuid::from_bytes(request.id()));
}

// What a cluster begins with: a journal that lost it, and is told of it again ten minutes later, takes it for
// expired. Its operator asks anew.
bool came_too_late(const v1::Request& request, const projections::RequestRow& answer) {
  return answer.answer == projections::AnswerKind::kExpired &&
         (request.has_define() || request.has_enroll_agent() || request.has_set_limit());
}

void add_slot(v1::RoleSpec* role, const char* slot, std::int64_t amount) {
  auto* s = role->add_slots();
  s->set_slot(slot);
  s->set_amount(amount);
}

void add_slot_type(v1::Define* define, const char* name, SlotKind kind) {
  auto* slot = define->add_slot_types();
  slot->set_name(name);
  slot->set_kind(static_cast<std::uint32_t>(kind));
}

}  // namespace

SimUsers::SimUsers(const SimCluster& cluster, std::uint64_t seed, int sessions, Demands* demands,
                   bool every_policy)
    : cluster_(cluster),
      rng_(seed),
      random_(seed ^ 0x5555),
      signer_(cluster.cluster, "api:sim", 1, derive_key(cluster.secret, "api:sim", 1)),
      log_(cluster.server->connect()),
      sessions_left_(sessions),
      demands_(demands),
      policies_(every_policy ? std::optional(Rng(seed ^ 0x90C1)) : std::nullopt) {}

void SimUsers::set_up(const std::vector<std::string>& agents, const Instant& now) {
  v1::Request request;
  auto* define = request.mutable_define();
  add_slot_type(define, "cpu", SlotKind::kCount);
  add_slot_type(define, "mem", SlotKind::kBytes);
  add_slot_type(define, "cuda.shares", SlotKind::kCount);
  auto* group = define->add_groups();
  group->set_name("default");
  group->set_order(rng_.chance(1, 2) ? "fifo" : "fair-share");
  group->set_head_of_line(rng_.chance(1, 2) ? "strict" : "greedy");
  constexpr const char* kSelections[] = {"concentrated", "dispersed", "fgd", "balanced"};
  group->set_select(kSelections[rng_.below(4)]);
  set_up_preemption(group);
  if (policies_) draw_policies(group);
  define->add_domains()->set_name("default");
  auto* project = define->add_projects();
  project->set_domain("default");
  project->set_name("default");
  for (const char* name : {"u1", "u2"}) {
    auto* user = define->add_users();
    user->set_name(name);
    user->set_domain("default");
    user->add_projects("default");
    user->set_role(v1::ROLE_USER);
  }
  ask(std::move(request), now);
  if (demands_ != nullptr)
    for (auto& besides : demands_->first()) ask(std::move(besides), now);
  for (const auto& agent : agents) {
    v1::Request enroll;
    enroll.mutable_enroll_agent()->set_agent(agent);
    enroll.mutable_enroll_agent()->set_generation(1);
    ask(std::move(enroll), now);
  }
}

// From all that are built in.
void SimUsers::draw_policies(v1::ResourceGroupDefined* group) {
  constexpr const char* kOrders[] = {"fifo", "lifo", "drf", "fair-share", "backfill"};
  constexpr const char* kHeads[] = {"strict", "skip-after-n", "greedy"};
  constexpr const char* kSelections[] = {"concentrated", "dispersed", "round-robin", "fgd", "balanced"};
  group->set_order(kOrders[policies_->below(5)]);
  group->set_head_of_line(kHeads[policies_->below(3)]);
  group->set_skip_after(group->head_of_line() == "skip-after-n" ? 2 : 0);
  group->set_select(kSelections[policies_->below(5)]);
  group->set_impossible(policies_->chance(1, 2) ? "skip" : "");
}

// Half of the seeds preempt, in every way there is.
void SimUsers::set_up_preemption(v1::ResourceGroupDefined* group) {
  if (rng_.chance(1, 2)) return;
  constexpr const char* kOrders[] = {"oldest", "newest", "fewest-sessions"};
  constexpr v1::ScopeKind kScopes[] = {v1::SCOPE_KIND_USER, v1::SCOPE_KIND_PROJECT, v1::SCOPE_KIND_DOMAIN,
                                       v1::SCOPE_KIND_RESOURCE_GROUP};
  auto* preemption = group->mutable_preemption();
  preemption->set_enabled(true);
  preemption->set_order(kOrders[rng_.below(3)]);
  preemption->set_mode(rng_.chance(1, 2) ? "terminate" : "reschedule");
  preemption->set_scope(kScopes[rng_.below(4)]);
  preemption->set_min_runtime_ms(rng_.chance(1, 4) ? 500 : 0);
}

// How it stands to others: who makes room for whom, who stands beside whom.
void SimUsers::draw_standing(v1::SessionSpec* spec) {
  spec->set_job_priority(static_cast<std::int32_t>(rng_.below(4)) - 1);
  spec->set_not_preemptible(rng_.chance(1, 8));
  if (!rng_.chance(1, 4)) return;
  auto* group = spec->mutable_session_group();
  group->set_name(rng_.chance(1, 2) ? "g1" : "g2");
  group->set_rule(rng_.chance(1, 2) ? v1::SPREAD : v1::PACK);
  group->set_strict(rng_.chance(1, 3));
}

v1::Request SimUsers::session_request(const Instant& now) {
  v1::Request request;
  auto* body = request.mutable_request_session();
  body->set_name((rng_.chance(1, 12) ? "poison-" : "s-") + std::to_string(++number_));
  body->set_count(1 + static_cast<std::uint32_t>(rng_.below(3)));
  auto* spec = body->mutable_spec();
  spec->set_group("default");
  spec->set_requeueable(rng_.chance(1, 2));
  spec->set_priority(1 + static_cast<std::int32_t>(rng_.below(3)));
  auto* role = spec->add_roles();
  role->set_role("main");
  role->set_count(1);
  add_slot(role, "cpu", static_cast<std::int64_t>(1 + rng_.below(4)) * kUnit);
  add_slot(role, "mem", static_cast<std::int64_t>(1 + rng_.below(4)) << 30);
  if (rng_.chance(1, 2)) add_slot(role, "cuda.shares", static_cast<std::int64_t>(1 + rng_.below(2)) * kUnit);
  switch (rng_.below(4)) {
    case 0: break;  // waits until it is ended
    case 1:
      spec->set_type(v1::BATCH);
      for (const char* word : {"sleep", "1"}) spec->add_command(word);
      break;
    case 2:
      for (const char* word : {"sleep", "2", "exit", "3"}) spec->add_command(word);
      break;
    default:
      spec->set_type(v1::BATCH);
      spec->add_command("true");
      break;
  }
  draw_standing(spec);
  if (demands_ != nullptr)
    demands_->harden(request, {by_cluster_time_ ? cluster_time(now) : now.wall, now.boottime});
  if (policies_ && spec->type() == v1::BATCH && policies_->chance(1, 2))  // an end that backfill counts on
    spec->set_batch_timeout_ms(static_cast<std::int64_t>(20 + policies_->below(100)) * 250);
  return request;
}

void SimUsers::ask(v1::Request request, const Instant& now) {
  request.set_id(std::string(random_.uuid().view()));
  if (request.owner().user().empty())
    request.mutable_owner()->set_user(request.has_request_session() && number_ % 3 == 0 ? "u2" : "u1");
  const bool of_sessions = request.has_request_session() || request.has_terminate_session();
  request.set_actor(of_sessions ? "user:" + request.owner().user() : "controller");
  request.mutable_owner()->set_domain("default");
  request.mutable_owner()->set_project("default");
  asks_.push_back({std::move(request), false, 0});
  send(asks_.back(), now);
}

void SimUsers::send(Ask& ask, const Instant& now) {
  ask.sent_at = now.boottime;
  ask.request.set_sent_ms(cluster_time(now) / kMillisecond);
  ask.request.set_wall_ms(now.wall / kMillisecond);
  const Partition partition{Stream::kRequests, crc32c(ask.request.id()) % cluster_.layout.requests};
  std::string payload = signer_.sign(Channel::kRequest, ask.request.SerializeAsString());
  if (late_rng_ && mood_ == Mood::kBusy && late_rng_->chance(1, 4)) {
    const auto wait = static_cast<Duration>(500 + late_rng_->below(20'000)) * kMillisecond;
    late_.push_back({now.boottime + wait, partition, ask.request.id(), std::move(payload)});
    return;
  }
  log_->append(partition, ask.request.id(), std::move(payload), {});
}

// The server goes on where it stood: what it had stamped and signed is sent as it was.
void SimUsers::send_late(const Instant& now) {
  for (auto& late : late_)
    if (now.boottime >= late.at) log_->append(late.partition, late.id, std::move(late.payload), {});
  std::erase_if(late_, [&](const Late& late) { return now.boottime >= late.at; });
}

void SimUsers::be_strange(const Strangeness& strangeness, std::uint64_t seed) {
  by_cluster_time_ = true;
  if (strangeness.servers) late_rng_.emplace(seed ^ 0x5E4E4);
}

// As an API server counts it, of the newest record that it read.
Timestamp SimUsers::cluster_time(const Instant& now) const {
  return heard_.wall == 0 ? now.wall : heard_.wall + (now.boottime - heard_.boottime);
}

void SimUsers::turn(const Instant& now, const projections::State* view) {
  send_late(now);
  if (!by_cluster_time_ && view != nullptr && view->epoch().time != heard_.wall)
    heard_ = {view->epoch().time, now.boottime};
  const bool ready = view != nullptr && view->groups.find("default") != nullptr;
  std::vector<v1::Request> again;
  for (auto& ask : asks_) {
    // A journal that lost its tail may take an answer back after it was seen in a copy that did not know yet.
    if (ask.answered && demands_ == nullptr) continue;
    const auto* answer = view != nullptr ? view->requests.find(request_key(ask.request)) : nullptr;
    if (answer != nullptr) {
      if (!ask.answered && came_too_late(ask.request, *answer)) again.push_back(ask.request);
      if (!ask.answered) take_answer(ask, *answer);
    } else if (now.boottime > ask.sent_at + kSecond &&
               !is_poison(ask.request)) {  // its answer is an event alone (P7)
      send(ask, now);
    }
  }
  for (auto& request : again) ask(std::move(request), now);
  if (!ready) return;
  if (mood_ == Mood::kBusy && sessions_left_ > 0 && rng_.chance(1, 20)) {
    --sessions_left_;
    ask(session_request(now), now);
  }
  if (demands_ != nullptr && mood_ == Mood::kBusy) {
    for (auto& request : demands_->besides(*view)) ask(std::move(request), now);
    if (demands_->wants_conflict()) send_conflict(*view, now);
  }
  end_some(now, *view);
}

void SimUsers::take_answer(Ask& ask, const projections::RequestRow& answer) {
  ask.answered = true;
  if (!ask.request.has_request_session() || answer.answer != projections::AnswerKind::kAccepted) return;
  acknowledged_.insert(answer.sessions.begin(), answer.sessions.end());
}

// The key of a request that was answered, with another body: never to be accepted (P13).
void SimUsers::send_conflict(const projections::State& view, const Instant& now) {
  const Ask& first = asks_[demands_->pick(asks_.size())];
  if (!first.request.has_request_session() || view.requests.find(request_key(first.request)) == nullptr)
    return;
  Ask second = first;
  second.request.mutable_request_session()->set_name("conflict-" + std::to_string(asks_.size()));
  send(second, now);
}

std::string SimUsers::ask_fence(const std::string& agent, const Instant& now) {
  v1::Request request;
  request.mutable_fence_agent()->set_agent(agent);
  request.mutable_fence_agent()->set_force(true);
  ask(std::move(request), now);
  return request_key(asks_.back().request);
}

void SimUsers::ask_no_drains(const std::vector<std::string>& agents, const Instant& now) {
  for (const auto& agent : agents) {
    v1::Request request;
    request.mutable_drain_agent()->set_agent(agent);
    ask(std::move(request), now);
  }
}

void SimUsers::ask_confirm_clock(const Instant& now) {
  v1::Request request;
  request.mutable_confirm_clock();
  ask(std::move(request), now);
}

std::string SimUsers::ask_for_limited(const Instant& now) {
  v1::Request request;
  request.mutable_owner()->set_user("u3");
  auto* body = request.mutable_request_session();
  body->set_name("limited");
  auto* spec = body->mutable_spec();
  spec->set_group("default");
  spec->set_type(v1::BATCH);
  spec->set_batch_timeout_ms(1000);
  for (const char* word : {"sleep", "3600"}) spec->add_command(word);
  auto* role = spec->add_roles();
  role->set_role("main");
  role->set_count(1);
  add_slot(role, "cpu", kUnit);
  add_slot(role, "mem", std::int64_t{1} << 30);
  request.set_not_after_ms(cluster_time(now) / kMillisecond + 60'000);
  ask(std::move(request), now);
  return "limited";
}

std::vector<std::string> SimUsers::ask_for_whole(const std::vector<v1::AgentJoined>& agents,
                                                 const Instant& now) {
  std::vector<std::string> names;
  for (const auto& agent : agents) {
    v1::Request request;
    request.mutable_owner()->set_user("u3");
    auto* body = request.mutable_request_session();
    names.push_back("whole-" + agent.agent());
    body->set_name(names.back());
    auto* spec = body->mutable_spec();
    spec->set_group("default");
    spec->add_agents(agent.agent());
    spec->set_agent_rule(v1::AGENT_STRICT);
    auto* role = spec->add_roles();
    role->set_role("main");
    role->set_count(1);
    for (const auto& slot : agent.slots()) add_slot(role, slot.slot().c_str(), slot.amount());
    for (const auto& device : agent.devices())
      for (const auto& slot : device.slots()) add_slot(role, slot.slot().c_str(), slot.amount());
    ask(std::move(request), now);
  }
  return names;
}

std::string SimUsers::ask_for_gang(std::uint32_t agents, const Instant& now) {
  v1::Request request;
  request.mutable_owner()->set_user("u3");
  auto* body = request.mutable_request_session();
  body->set_name("gang");
  auto* spec = body->mutable_spec();
  spec->set_group("default");
  spec->set_mode(v1::MULTI_NODE);
  auto* role = spec->add_roles();
  role->set_role("main");
  role->set_count(agents);
  add_slot(role, "cpu", 3 * kUnit);  // no agent holds two
  add_slot(role, "mem", std::int64_t{1} << 30);
  ask(std::move(request), now);
  return "gang";
}

bool SimUsers::is_answered(const std::string& key) const {
  return std::any_of(asks_.begin(), asks_.end(),
                     [&](const Ask& ask) { return ask.answered && request_key(ask.request) == key; });
}

bool SimUsers::has_accepted(const std::string& session_name) const {
  return std::any_of(asks_.begin(), asks_.end(), [&](const Ask& ask) {
    return ask.answered && ask.request.request_session().name() == session_name;
  });
}

std::map<std::string, std::int64_t> SimUsers::deadlines() const {
  std::map<std::string, std::int64_t> all;
  for (const auto& ask : asks_)
    if (ask.request.not_after_ms() != 0) all[ask.request.id()] = ask.request.not_after_ms();
  return all;
}

bool SimUsers::wants_ended(const projections::SessionRow& session) const {
  if (projections::is_end(session.status) || session.terminating) return false;
  return mood_ != Mood::kFinishing || session.status == projections::SessionStatus::kRunning;
}

void SimUsers::end_some(const Instant& now, const projections::State& view) {
  if (mood_ == Mood::kWatching || (mood_ == Mood::kBusy && !rng_.chance(1, 60))) return;
  for (const SessionId& id : view.sessions.sorted_keys()) {
    const auto* session = view.sessions.find(id);
    if (!wants_ended(*session)) continue;
    const auto asked = ended_.find(id);
    if (asked != ended_.end() && now.boottime < asked->second + 3 * kSecond) continue;
    ended_[id] = now.boottime;
    v1::Request request;
    request.mutable_terminate_session()->set_session_id(std::string(id.view()));
    request.mutable_owner()->set_user(session->owner->owner.user());
    ask(std::move(request), now);
    if (mood_ == Mood::kBusy) return;
  }
}

// Not counted: poison, which is answered by a quarantine row alone.
bool SimUsers::all_answered(const projections::State& view) const {
  for (const auto& ask : asks_)
    if (!is_poison(ask.request) && view.requests.find(request_key(ask.request)) == nullptr) return false;
  return true;
}

std::string SimUsers::unanswered(const projections::State& view) const {
  std::string text;
  for (const auto& ask : asks_)
    if (!is_poison(ask.request) && view.requests.find(request_key(ask.request)) == nullptr)
      text += " (" + ask.request.request_session().name() + " x" +
              std::to_string(ask.request.request_session().count()) + " of " +
              std::to_string(ask.request.ByteSizeLong()) + " bytes)";
  return text;
}

void SimUsers::forget_answers() {
  acknowledged_.clear();
  for (auto& ask : asks_) ask.answered = false;
}

}  // namespace berth::simulation
