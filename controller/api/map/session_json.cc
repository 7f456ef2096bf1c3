#include "controller/api/map/session_json.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "controller/api/map/agent_json.h"
#include "controller/api/map/folders/folder_lookup.h"
#include "controller/api/map/session_request.h"
#include "events/base/checks.h"
#include "events/codec/words/enum_words.h"
#include "projections/missing_image.h"
#include "projections/session_access.h"

namespace berth::controller::api {
namespace {

using projections::KernelRow;
using projections::KernelState;
using projections::SessionRow;
using projections::SessionStatus;

// {"cpu": "0.5"}, of whatever has slots and amounts.
template <class Slots>
void put_slots(JsonText& out, std::string_view name, const SlotKinds& kinds, const Slots& slots) {
  out.object(name, [&] {
    for (const auto& entry : slots) {
      if constexpr (requires { entry.slot(); })
        out.put(entry.slot(), amount_text(kinds, entry.slot(), entry.amount()));
      else
        out.put(entry.slot, amount_text(kinds, entry.slot, entry.amount));
    }
  });
}

void write_role(JsonText& out, const SlotKinds& kinds, const v1::SessionSpec& spec,
                const v1::RoleSpec& role) {
  out.open('{');
  out.put("role", role.role());
  out.put("count", role.count());
  put_slots(out, "resources", kinds, role.slots());
  out.put("image", role.image().empty() ? spec.image() : role.image());
  out.put("architecture", role.architecture().empty() ? spec.architecture() : role.architecture());
  out.close('}');
}

void put_designated(JsonText& out, const v1::SessionSpec& spec) {
  if (spec.agents().empty()) return out.put("designated", nullptr);
  out.object("designated", [&] {
    out.array("agents", spec.agents());
    out.put("rule", spec.agent_rule() == v1::AGENT_PREFERRED ? "preferred" : "strict");
  });
}

void put_session_group(JsonText& out, const v1::SessionSpec& spec) {
  if (!spec.has_session_group()) return out.put("session_group", nullptr);
  const v1::SessionGroup& group = spec.session_group();
  out.object("session_group", [&] {
    out.put("name", group.name());
    out.put("rule", group.rule() == v1::PACK ? "pack" : "spread");
    out.put("strict", group.strict());
  });
}

void put_mounts(JsonText& out, const v1::SessionSpec& spec, const std::vector<std::string>& names) {
  std::size_t number = 0;
  out.array("mounts", spec.mounts(), [&](const auto& mount) {
    out.open('{');
    out.object("folder", [&] {
      out.put("id", hex_of(Uuid::from_bytes(mount.folder()).value_or(Uuid{})));
      out.put_text("name", number < names.size() ? names[number] : std::string());
    });
    out.put("target", mount.target());
    out.put("read_only", mount.read_only());
    out.close('}');
    ++number;
  });
}

// Sealed ones are null but for who may see them.
void put_environment(JsonText& out, const SessionRow& session, const v1::Environment* opened) {
  if (session.environment && opened == nullptr) return out.put("env", nullptr);
  out.object("env", [&] {
    for (const auto& pair : opened != nullptr ? opened->env() : session.spec->spec.env())
      out.put(pair.key(), pair.value());
  });
}

void put_spec(JsonText& out, const SlotKinds& kinds, const SessionRow& session, const SessionExtras& extras) {
  const v1::SessionSpec& spec = session.spec->spec;
  out.put("type", name_of(spec.type()));
  out.put("image", spec.image());
  out.put("group", spec.group());
  out.put("architecture", spec.architecture());
  out.put("priority", spec.priority());
  put_slots(out, "resources", kinds, session_demand(spec));
  out.array("roles", spec.roles(), [&](const auto& role) { write_role(out, kinds, spec, role); });
  out.put("mode", name_of(spec.mode()));
  out.put("cluster_size", projections::kernel_count(spec));
  put_designated(out, spec);
  out.array("depends_on", spec.depends_on(),
            [&](const auto& id) { out.value(to_string(Uuid::from_bytes(id).value_or(Uuid{}))); });
  out.put("on_dependency_failure", spec.wait_on_dependency_failure() ? "wait" : "cancel");
  out.put("job_priority", spec.job_priority());
  out.put("preemptible", !spec.not_preemptible());
  put_session_group(out, spec);
  out.put("shm", std::to_string(spec.shm()));
  put_mounts(out, spec, extras.mount_names);
  if (const char* automatic = projections::name_of(extras.automatic_folder); automatic != nullptr)
    out.put("automatic_folder", automatic);
  else
    out.put("automatic_folder", nullptr);
  put_environment(out, session, extras.environment);
  out.array("command", spec.command());
  out.put("requeueable", spec.requeueable());
  out.put_duration("pending_timeout", spec.pending_timeout_ms());
  out.put_duration("batch_timeout", spec.batch_timeout_ms());
  out.put_time("start_time", spec.start_time_ms() * kMillisecond);
  out.put("max_attempts", spec.max_attempts());
}

void put_shares(JsonText& out, const SharesShown& shares) {
  static const std::vector<projections::SessionShare> none;
  if (shares.hidden)
    out.put("shares", nullptr);
  else
    out.array("shares", shares.all == nullptr ? none : shares.all->shares, [&](const auto& share) {
      out.open('{');
      out.put(word(share.scope), share.id);
      out.close('}');
    });
  out.put("shared", shares.with_reader);
}

void put_reason(JsonText& out, const SessionRow& session, const SessionExtras& extras) {
  if (session.reason_code.empty()) return out.put("reason", nullptr);
  out.object("reason", [&] {
    out.put("code", session.reason_code.word());
    out.put_text("slot", session.reason_slot);
    extras.build_percent ? out.put("percent", *extras.build_percent) : out.put("percent", nullptr);
  });
}

// Only of a program whose end somebody saw: a zero beside RESULT_UNKNOWN would read as success.
bool has_exit_code(const KernelRow& kernel) {
  if (kernel.state != KernelState::kTerminated) return false;
  switch (static_cast<v1::KernelEnd>(kernel.end)) {
    case v1::EXITED:
    case v1::SIGNALLED:
    case v1::OUT_OF_MEMORY:
    case v1::STOPPED:
    case v1::LEASE_OVER: return true;
    default: return false;
  }
}

const KernelRow* main_of(const std::vector<const KernelRow*>& kernels) {
  for (const KernelRow* kernel : kernels)
    if (kernel->role == 0 && kernel->index == 1) return kernel;
  return nullptr;
}

// Only the kernel says why of an end that nobody saw, and of memory that was not its own limit's.
std::string_view message_of(const SessionRow& session, const std::vector<const KernelRow*>& kernels) {
  if (session.message.empty() && projections::is_end(session.status))
    for (const KernelRow* kernel : kernels)
      if ((!has_exit_code(*kernel) || kernel->end == v1::OUT_OF_MEMORY) && !kernel->message.empty())
        return kernel->message;
  return session.message;
}

void put_standing(JsonText& out, const SessionRow& session, const std::vector<const KernelRow*>& kernels,
                  const SessionExtras& extras) {
  out.put_time("created_at", session.created_at);
  out.put_time("scheduled_at", session.scheduled_at);
  out.put_time("running_at", session.running_at);
  out.put_time("ended_at", session.ended_at);
  put_reason(out, session, extras);
  out.put("message", message_of(session, kernels));
  out.put("attempt", session.attempt);
  out.put("attempts", session.attempts);
  out.put("retries", session.retries);
  const KernelRow* main = main_of(kernels);
  if (session.status == SessionStatus::kTerminated && main != nullptr && has_exit_code(*main))
    out.put("exit_code", session.exit_code);
  else
    out.put("exit_code", nullptr);
  out.put("forced", session.forced);
  std::vector<std::string_view> held;
  for (const auto& place : session.places)
    if (std::find(held.begin(), held.end(), place.agent) == held.end()) held.push_back(place.agent);
  out.array("held_on", held);
  out.put_id("preempted_for", extras.hides_preemptor ? SessionId() : session.preemptor);
  out.put_id("request_id", session.request);
}

void put_end(JsonText& out, const KernelRow& kernel) {
  if (kernel.state != KernelState::kTerminated) return out.put("end", nullptr);
  if (!v1::KernelEnd_IsValid(kernel.end)) return out.put("end", kernel.end);
  out.put("end", v1::KernelEnd_Name(static_cast<v1::KernelEnd>(kernel.end)));
}

// Device slots are counts.
void write_share(JsonText& out, const projections::DeviceShare& share) {
  out.open('{');
  out.put("device", share.device);
  out.put("slot", share.slot);
  out.put("amount", format_amount(SlotKind::kCount, share.amount));
  out.close('}');
}

// The agent that is not there, while nobody knows what became of the kernels.
void put_gone(JsonText& out, const std::optional<projections::GoneAgent>& agent) {
  if (!agent) return out.put("agent_gone", nullptr);
  out.object("agent_gone", [&] {
    out.put("agent", agent->name);
    out.put("state", projections::name_of(agent->state));
    out.put_time("since", agent->since);
  });
}

// `terminating`: the session is ending, and its kernels show that too.
void write_kernel(JsonText& out, const KernelRow& kernel, bool terminating) {
  const bool ended = kernel.state == KernelState::kTerminated;
  const bool has_role = kernel.spec && static_cast<int>(kernel.role) < kernel.spec->spec.roles_size();
  const auto number_if = [&](bool known, const char* name, auto number) {
    known ? out.put(name, number) : out.put(name, nullptr);
  };
  out.open('{');
  out.put("id", to_string(kernel.id));
  out.put("name", kernel_name(kernel));
  out.put("role", has_role ? kernel.role_spec().role() : std::string());
  out.put("index", kernel.index);
  out.put("state", terminating && !ended ? "TERMINATING" : projections::name_of(kernel.state));
  out.put("agent", kernel.agent);
  out.put("attempt", kernel.attempt);
  out.array("devices", kernel.devices, [&](const auto& share) { write_share(out, share); });
  number_if(kernel.state == KernelState::kPulling, "percent", kernel.percent);
  out.put_time("started_at", kernel.started_at);
  out.put_time("ended_at", kernel.ended_at);
  number_if(kernel.pid != 0, "pid", kernel.pid);
  put_end(out, kernel);
  number_if(has_exit_code(kernel), "exit_code", kernel.exit_code);
  out.put("code", kernel.code.word());
  out.put("message", kernel.message);
  out.close('}');
}

void put_kernels(JsonText& out, const std::vector<const KernelRow*>& kernels, bool terminating) {
  std::set<std::string_view> agents;
  for (const KernelRow* kernel : kernels) agents.insert(kernel->agent);
  out.array("agents", agents);
  out.array("kernels", kernels, [&](const KernelRow* kernel) { write_kernel(out, *kernel, terminating); });
}

}  // namespace

std::vector<const KernelRow*> kernels_of(const projections::State& state, const SessionRow& session) {
  std::vector<const KernelRow*> kernels;
  for (const KernelId& id : session.kernel_ids)
    if (const KernelRow* kernel = state.kernels.find(id)) kernels.push_back(kernel);
  return kernels;
}

std::optional<std::uint32_t> build_percent(const projections::State& state, const SessionRow& session) {
  if (session.status != SessionStatus::kPending || session.reason_code != "image-building")
    return std::nullopt;
  const auto* image = projections::missing_image(state, session.spec->spec);
  return image == nullptr ? std::nullopt : std::optional(image->build->percent());
}

SharesShown shares_shown(const SessionRow& session, const projections::SessionShareRow* shares,
                         const projections::Actor& actor) {
  if (shares == nullptr) return {};
  const v1::Owner& owner = session.owner->owner;
  return {shares, !may_see_session(actor, owner, nullptr), is_shared_with(actor, owner, shares)};
}

std::vector<std::string> mount_names(const projections::State& state, const SessionRow& session,
                                     const projections::Actor& actor) {
  std::vector<std::string> names;
  if (!session.spec) return names;
  for (const auto& mount : session.spec->spec.mounts()) {
    const auto id = Uuid::from_bytes(mount.folder());
    const auto* folder = id ? state.folders.find(FolderId(*id)) : nullptr;
    names.push_back(folder != nullptr && may_see_folder(actor, *folder) ? folder->name : std::string());
  }
  return names;
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

void write_session(JsonText& out, const SlotKinds& kinds, const SessionRow& session,
                   const std::vector<const KernelRow*>& kernels, const SessionExtras& extras) {
  out.open('{');
  out.put("id", to_string(session.id));
  out.put("name", session.name);
  out.put("status", projections::name_of(shown_status(session)));
  out.put_text("result", projections::name_of(session.result));
  if (session.spec) put_spec(out, kinds, session, extras);
  if (session.owner) {
    const v1::Owner& owner = session.owner->owner;
    out.object("owner", [&] {
      out.put("domain", owner.domain());
      out.put("project", owner.project());
      out.put("user", owner.user());
    });
  }
  put_shares(out, extras.shares);
  put_standing(out, session, kernels, extras);
  if (extras.queue_position)
    out.put("queue_position", *extras.queue_position);
  else
    out.put("queue_position", nullptr);
  put_gone(out, extras.gone_agent);
  const bool ending = session.terminating || session.rescheduling;
  put_kernels(out, kernels, ending && !projections::is_end(session.status));
  out.close('}');
}

void write_session(JsonText& out, const projections::State& state, const SlotKinds& kinds,
                   const SessionRow& session, const projections::Actor& actor) {
  SessionExtras extras;
  extras.hides_preemptor = !may_see_preemptor(actor, session);
  extras.build_percent = build_percent(state, session);
  extras.mount_names = mount_names(state, session, actor);
  extras.shares = shares_shown(session, state.session_shares.find(session.id), actor);
  extras.automatic_folder = projections::automatic_folder_in(state, session);
  extras.gone_agent = projections::gone_agent(state, session);
  write_session(out, kinds, session, kernels_of(state, session), extras);
}

std::string session_to_json(const projections::State& state, const SlotKinds& kinds,
                            const SessionRow& session, const projections::Actor& actor,
                            const v1::Environment* environment) {
  const QueuePositions positions = queue_positions(state, {&session});
  SessionExtras extras{std::nullopt, environment, !may_see_preemptor(actor, session)};
  if (!positions.empty()) extras.queue_position = positions.begin()->second;
  extras.build_percent = build_percent(state, session);
  extras.mount_names = mount_names(state, session, actor);
  extras.shares = shares_shown(session, state.session_shares.find(session.id), actor);
  extras.automatic_folder = projections::automatic_folder_in(state, session);
  extras.gone_agent = projections::gone_agent(state, session);
  JsonText out;
  write_session(out, kinds, session, kernels_of(state, session), extras);
  return out.take();
}

std::string history_to_json(const SlotKinds& kinds, const projections::HistoryEntry& entry,
                            const projections::Actor& actor, const v1::Environment* environment) {
  std::vector<KernelRow> rows = entry.kernels;
  std::vector<const KernelRow*> kernels;
  for (KernelRow& row : rows) {
    row.spec = entry.session.spec;  // rows of the past come without it
    kernels.push_back(&row);
  }
  JsonText out;
  write_session(out, kinds, entry.session, kernels,
                {std::nullopt, environment, !may_see_preemptor(actor, entry.session)});
  return out.take();
}

bool SessionFilter::matches(const SessionRow& session, const projections::SessionShareRow* shares) const {
  const v1::Owner& owner = session.owner->owner;
  return projections::SessionFilter::matches(session) &&
         (!seen_by || may_see_session(*seen_by, owner, shares)) &&
         (!shared_with || is_shared_with(*shared_with, owner, shares));
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

SessionPage select_sessions(const projections::State& state, const SessionOrder& order,
                            const SessionOrder& more, const SessionFilter& filter,
                            const projections::Position& after, std::size_t limit) {
  SessionPage page;
  auto at = order.upper_bound(after), also = more.upper_bound(after);
  while ((at != order.end() || also != more.end()) && !page.more) {
    const bool is_first = also == more.end() || (at != order.end() && at->first < also->first);
    const SessionRow* session = state.sessions.find((is_first ? at++ : also++)->second);
    if (session == nullptr || !filter.matches(*session, state.session_shares.find(session->id))) continue;
    page.more = page.sessions.size() == limit;
    if (!page.more) page.sessions.push_back(session);
  }
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
