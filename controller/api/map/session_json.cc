#include "controller/api/map/session_json.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "controller/api/map/json_values.h"
#include "controller/api/map/kernel_json.h"
#include "controller/api/map/session_request.h"
#include "events/base/checks.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::KernelRow;
using projections::SessionRow;
using projections::SessionStatus;

json::array roles_to_json(const SlotKinds& kinds, const v1::SessionSpec& spec) {
  json::array roles;
  for (const auto& role : spec.roles())
    roles.push_back(
        {{"role", role.role()},
         {"count", role.count()},
         {"resources", slots_to_json(kinds, role.slots())},
         {"image", role.image().empty() ? spec.image() : role.image()},
         {"architecture", role.architecture().empty() ? spec.architecture() : role.architecture()}});
  return roles;
}

json::value designated_to_json(const v1::SessionSpec& spec) {
  if (spec.agents().empty()) return nullptr;
  json::array agents;
  for (const auto& agent : spec.agents()) agents.emplace_back(agent);
  return {{"agents", std::move(agents)},
          {"rule", spec.agent_rule() == v1::AGENT_PREFERRED ? "preferred" : "strict"}};
}

json::value session_group_to_json(const v1::SessionSpec& spec) {
  if (!spec.has_session_group()) return nullptr;
  const v1::SessionGroup& group = spec.session_group();
  return {{"name", group.name()},
          {"rule", group.rule() == v1::PACK ? "pack" : "spread"},
          {"strict", group.strict()}};
}

void put_spec(json::object& out, const SlotKinds& kinds, const v1::SessionSpec& spec) {
  out["type"] = name_of(spec.type());
  out["image"] = spec.image();
  out["group"] = spec.group();
  out["architecture"] = spec.architecture();
  out["priority"] = spec.priority();
  out["resources"] = slots_to_json(kinds, session_demand(spec));
  out["roles"] = roles_to_json(kinds, spec);
  out["mode"] = name_of(spec.mode());
  out["cluster_size"] = projections::kernel_count(spec);
  out["designated"] = designated_to_json(spec);
  json::array depends_on;
  for (const auto& id : spec.depends_on())
    depends_on.emplace_back(to_string(Uuid::from_bytes(id).value_or(Uuid{})));
  out["depends_on"] = std::move(depends_on);
  out["on_dependency_failure"] = spec.wait_on_dependency_failure() ? "wait" : "cancel";
  out["job_priority"] = spec.job_priority();
  out["preemptible"] = !spec.not_preemptible();
  out["session_group"] = session_group_to_json(spec);
  out["shm"] = std::to_string(spec.shm());
  out["env"] = pairs_to_json(spec.env());
  json::array command;
  for (const auto& argument : spec.command()) command.emplace_back(argument);
  out["command"] = std::move(command);
  out["requeueable"] = spec.requeueable();
  out["pending_timeout"] = duration_or_null(spec.pending_timeout_ms());
  out["batch_timeout"] = duration_or_null(spec.batch_timeout_ms());
  out["start_time"] = time_or_null(spec.start_time_ms() * kMillisecond);
  out["max_attempts"] = spec.max_attempts();
}

void put_standing(json::object& out, const SessionRow& session) {
  out["created_at"] = time_or_null(session.created_at);
  out["scheduled_at"] = time_or_null(session.scheduled_at);
  out["running_at"] = time_or_null(session.running_at);
  out["ended_at"] = time_or_null(session.ended_at);
  if (session.reason_code.empty())
    out["reason"] = nullptr;
  else
    out["reason"] = {{"code", session.reason_code}, {"slot", text_or_null(session.reason_slot)}};
  out["message"] = session.message;
  out["attempt"] = session.attempt;
  out["attempts"] = session.attempts;
  out["retries"] = session.retries;
  const bool has_exit_code = session.status == SessionStatus::kTerminated && session.kernels_ended > 0;
  out["exit_code"] = has_exit_code ? json::value(session.exit_code) : json::value(nullptr);
  out["forced"] = session.forced;
  json::array held;
  for (const auto& place : session.places)
    if (std::find(held.begin(), held.end(), json::value(place.agent)) == held.end())
      held.emplace_back(place.agent);
  out["held_on"] = std::move(held);
  out["preempted_for"] = id_or_null(session.preemptor);
  out["request_id"] = id_or_null(session.request);
}

json::object head_to_json(const SlotKinds& kinds, const SessionRow& session) {
  json::object out{{"id", to_string(session.id)},
                   {"name", session.name},
                   {"status", projections::name_of(shown_status(session))}};
  out["result"] = text_or_null(projections::name_of(session.result));
  if (session.spec) put_spec(out, kinds, session.spec->spec);
  if (session.environment) out["env"] = nullptr;  // sealed
  if (session.owner) {
    const v1::Owner& owner = session.owner->owner;
    out["owner"] = {{"domain", owner.domain()}, {"project", owner.project()}, {"user", owner.user()}};
  }
  put_standing(out, session);
  return out;
}

void put_kernels(json::object& out, const std::vector<const KernelRow*>& kernels, bool terminating) {
  json::array list, agents;
  std::vector<std::string> names;
  for (const KernelRow* kernel : kernels) {
    list.push_back(kernel_to_json(*kernel, terminating));
    if (std::find(names.begin(), names.end(), kernel->agent) == names.end()) names.push_back(kernel->agent);
  }
  std::sort(names.begin(), names.end());
  for (const auto& name : names) agents.emplace_back(name);
  out["agents"] = std::move(agents);
  out["kernels"] = std::move(list);
}

}  // namespace

SessionStatus shown_status(const SessionRow& session) {
  return session.forced && session.status == SessionStatus::kTerminating ? SessionStatus::kTerminated
                                                                         : session.status;
}

std::vector<projections::SlotAmount> session_demand(const v1::SessionSpec& spec) {
  std::vector<projections::SlotAmount> demand;
  for (const auto& role : spec.roles())
    for (const auto& slot : role.slots()) {
      const Amount amount = slot.amount() * static_cast<Amount>(role.count());
      const auto known = std::find_if(demand.begin(), demand.end(),
                                      [&](const auto& entry) { return entry.slot == slot.slot(); });
      if (known == demand.end())
        demand.push_back({slot.slot(), amount});
      else
        known->amount += amount;
    }
  std::sort(demand.begin(), demand.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; });
  return demand;
}

namespace {

// Where a waiting session stands in its group, as the scheduler orders it
// (controller/placement/order/queue.h).
using QueueKey = std::tuple<std::int64_t, bool, std::int64_t, std::int64_t, SessionId>;

QueueKey queue_key_of(const v1::ResourceGroupDefined& group, const SessionRow& session) {
  const std::int64_t arrival =
      session.created.epoch << 48 ^ session.created.sequence << 12 ^ session.created.index;
  const std::int64_t sign = group.order() == "lifo" ? -1 : 1;
  const bool demoted = group.order() != "backfill" && group.head_of_line() == "skip-after-n" &&
                       group.skip_after() > 0 && session.retries >= group.skip_after();
  return {-std::int64_t{session.spec->spec.priority()}, demoted, sign * session.created_at, sign * arrival,
          session.id};
}

// Orders by owner move with every placement: only the scheduler knows them.
const v1::ResourceGroupDefined* steady_group_of(const projections::State& state, const SessionRow& session) {
  const auto* row = state.groups.find(session.spec->spec.group());
  return row == nullptr || row->def.order() == "drf" || row->def.order() == "fair-share" ? nullptr
                                                                                         : &row->def;
}

}  // namespace

QueuePositions queue_positions(const projections::State& state,
                               const std::vector<const SessionRow*>& sessions) {
  // Of each one asked about: how many stand before it and behind the one asked about before it.
  std::map<std::string, std::map<QueueKey, std::uint32_t>> asked;
  for (const SessionRow* session : sessions)
    if (const auto* group = steady_group_of(state, *session);
        group != nullptr && projections::is_waiting(session->status))
      asked[group->name()][queue_key_of(*group, *session)] = 0;
  if (asked.empty()) return {};
  for (const auto& [created, id] : state.pending()) {
    const SessionRow* session = state.sessions.find(id);
    BERTH_CHECK(session != nullptr, "a pending session has no row");
    const auto of_group = asked.find(session->spec->spec.group());
    if (of_group == asked.end() || session->status == SessionStatus::kReserved) continue;
    const auto behind =
        of_group->second.upper_bound(queue_key_of(*steady_group_of(state, *session), *session));
    if (behind != of_group->second.end()) ++behind->second;
  }
  QueuePositions found;
  for (const auto& [group, keys] : asked) {
    std::uint32_t position = 1;
    for (const auto& [key, between] : keys) found[std::get<SessionId>(key)] = position += between;
  }
  return found;
}

json::array sessions_to_json(const projections::State& state, const SlotKinds& kinds,
                             const std::vector<const SessionRow*>& sessions) {
  const QueuePositions positions = queue_positions(state, sessions);
  json::array list;
  for (const SessionRow* session : sessions) {
    std::vector<const KernelRow*> kernels;
    for (const KernelId& id : session->kernel_ids)
      if (const KernelRow* kernel = state.kernels.find(id)) kernels.push_back(kernel);
    json::object out = session_to_json(kinds, *session, kernels);
    if (const auto position = positions.find(session->id); position != positions.end())
      out["queue_position"] = position->second;
    list.push_back(std::move(out));
  }
  return list;
}

json::object session_to_json(const SlotKinds& kinds, const SessionRow& session,
                             const std::vector<const KernelRow*>& kernels) {
  json::object out = head_to_json(kinds, session);
  out["queue_position"] = nullptr;
  put_kernels(out, kernels, session.terminating || session.rescheduling);
  return out;
}

json::object session_to_json(const projections::State& state, const SlotKinds& kinds,
                             const SessionRow& session) {
  return std::move(sessions_to_json(state, kinds, {&session}).front().get_object());
}

json::object history_to_json(const SlotKinds& kinds, const projections::HistoryEntry& entry) {
  json::object out = head_to_json(kinds, entry.session);
  out["queue_position"] = nullptr;
  std::vector<KernelRow> rows = entry.kernels;
  std::vector<const KernelRow*> kernels;
  for (KernelRow& row : rows) {
    row.spec = entry.session.spec;  // rows of the past come without it
    kernels.push_back(&row);
  }
  put_kernels(out, kernels, false);
  return out;
}

bool SessionFilter::matches(const SessionRow& session) const {
  if (only_live && projections::is_end(session.status)) return false;
  if (!user.empty() && session.owner->owner.user() != user) return false;
  if (!name.empty() && session.name != name) return false;
  const v1::Owner& owner = session.owner->owner;
  if (!project.empty() && owner.project() != project && owner.domain() + "/" + owner.project() != project)
    return false;
  if (seen_by && !may_see(*seen_by, session)) return false;
  if (!group.empty() && session.spec->spec.group() != group) return false;
  return statuses.empty() ||
         std::find(statuses.begin(), statuses.end(), shown_status(session)) != statuses.end();
}

SessionFilter read_session_filter(Query& query) {
  SessionFilter filter;
  filter.name = query.name("name");
  filter.group = query.name("group");
  filter.project = query.project("project");
  std::vector<std::string> wanted = query.list("state");
  if (wanted.empty()) wanted = {"live"};
  for (const std::string& word : wanted) {
    bool known = word == "all" || word == "live" || word == "ended";
    for (auto status = SessionStatus::kPending; status <= SessionStatus::kError;
         status = static_cast<SessionStatus>(static_cast<int>(status) + 1)) {
      const bool named = word == projections::name_of(status);
      known = known || named;
      const bool taken = named || word == "all" || (word == "live" && !projections::is_end(status)) ||
                         (word == "ended" && projections::is_end(status));
      if (taken && std::find(filter.statuses.begin(), filter.statuses.end(), status) == filter.statuses.end())
        filter.statuses.push_back(status);
    }
    if (!known)
      query.fail("invalid-parameter", "state", "'" + clipped(word) + "' is no status",
                 "live, ended, all, or statuses like PENDING,RUNNING");
  }
  return filter;
}

SessionPage select_sessions(const projections::State& state, const SessionFilter& filter,
                            const projections::Position& after, std::size_t limit) {
  SessionPage page;
  auto& found = page.sessions;
  state.sessions.for_each_unordered([&](const SessionRow& session) {
    if (session.created > after && filter.matches(session)) found.push_back(&session);
  });
  const auto arrival = [](const SessionRow* a, const SessionRow* b) { return a->created < b->created; };
  page.more = found.size() > limit;
  if (page.more) {
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(limit), found.end(), arrival);
    found.resize(limit);
  }
  std::sort(found.begin(), found.end(), arrival);
  return page;
}

std::optional<projections::Position> parse_position(std::string_view text) {
  projections::Position position;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  const auto number = [&](auto& out, bool last) {
    const auto [stop, error] = std::from_chars(at, end, out);
    if (error != std::errc() || stop == at) return false;
    at = stop;
    if (last) return at == end;
    return at != end && *at++ == '.';
  };
  if (!number(position.epoch, false) || !number(position.sequence, false) || !number(position.index, true))
    return std::nullopt;
  return position;
}

}  // namespace berth::controller::api
