#include <set>

#include "controller/decide/decide.h"
#include "events/codec/envelope.h"

namespace berth::controller {
namespace {

using projections::State;

constexpr std::int32_t kPriorityDefault = 10;
constexpr std::int64_t kShmDefault = 64ll << 20;
constexpr std::uint32_t kAttemptsDefault = 5;

// A record must hold the whole request (P4); what the envelope and header take is far below the margin.
constexpr std::size_t kRequestBytesMax = kRecordBytesMax - (32u << 10);

// Defaults go into the spec before it is recorded, so that no reader ever guesses.
v1::SessionSpec complete(const State& state, v1::SessionSpec spec) {
  if (spec.type() == v1::SESSION_TYPE_UNSPECIFIED) spec.set_type(v1::INTERACTIVE);
  if (spec.group().empty()) spec.set_group("default");
  if (spec.priority() == 0) spec.set_priority(kPriorityDefault);
  if (spec.shm() == 0) spec.set_shm(kShmDefault);
  const auto* group = state.groups.find(spec.group());
  if (spec.max_attempts() == 0)
    spec.set_max_attempts(group != nullptr && group->def.max_attempts() != 0 ? group->def.max_attempts() : kAttemptsDefault);
  if (spec.pending_timeout_ms() == 0 && group != nullptr) spec.set_pending_timeout_ms(group->def.pending_timeout_ms());
  if (const auto* image = state.images.find(spec.image()); image != nullptr && spec.architecture().empty())
    spec.set_architecture(image->def.architecture());
  for (auto& role : *spec.mutable_roles()) {
    if (role.role().empty()) role.set_role("main");
    if (role.count() == 0) role.set_count(1);
  }
  return spec;
}

struct Wanted {
  SessionId id;
  std::string name;
};

SessionId derive_session_id(const DecisionContext& c, std::uint32_t number) {
  std::string input = "session:" + c.actor + '\0' + c.request_id + projections::to_string(c.position) + "/" + std::to_string(number);
  return SessionId(Uuid::from_hash(blake2b_128(input)));
}

// Ids and names of all sessions of the request, in order. Ids given must be new and distinct.
std::optional<Refusal> name_all(const DecisionContext& c, const v1::RequestSession& body, std::uint32_t count, std::vector<Wanted>& out) {
  if (body.session_ids_size() != 0 && static_cast<std::uint32_t>(body.session_ids_size()) != count)
    return Refusal{"invalid-spec", "as many session ids as sessions must be given, or none", ""};
  std::set<SessionId> seen;
  for (std::uint32_t number = 1; number <= count; ++number) {
    Wanted wanted;
    if (body.session_ids_size() == 0) {
      wanted.id = derive_session_id(c, number);
    } else {
      const auto id = Uuid::from_bytes(body.session_ids(static_cast<int>(number) - 1));
      if (!id || id->is_nil()) return Refusal{"invalid-spec", "a session id is 16 bytes", ""};
      wanted.id = SessionId(*id);
      if (c.in_history && c.in_history(wanted.id))
        return Refusal{"id-in-use", "session id " + to_string(wanted.id) + " was used before", ""};
    }
    if (!seen.insert(wanted.id).second) return Refusal{"id-in-use", "a session id is given twice", ""};
    wanted.name = body.name().empty() ? "session-" + to_string(wanted.id).substr(0, 8) : body.name();
    if (count > 1) wanted.name += "-" + std::to_string(number);
    out.push_back(std::move(wanted));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> decide(DecisionContext& c, const v1::Request& request, const v1::RequestSession& body, const Hash128& body_hash) {
  const std::uint32_t count = std::max(1u, body.count());
  if (count > projections::kSessionsPerRequestMax)
    return Refusal{"invalid-spec",
                   "at most " + std::to_string(projections::kSessionsPerRequestMax) + " sessions in a request",
                   "ask in several requests"};
  const v1::SessionSpec spec = complete(c.state, body.spec());
  if ((spec.ByteSizeLong() + request.owner().ByteSizeLong() + 300) * count > kRequestBytesMax)
    return Refusal{"request-too-large", "the request's record would be larger than " + std::to_string(kRecordBytesMax) + " bytes",
                   "shorten env and command, or ask for fewer sessions at once"};
  std::vector<Wanted> all;
  if (auto refusal = name_all(c, body, count, all)) return refusal;
  for (const Wanted& wanted : all)  // all or none
    if (auto refusal = projections::admit_session(c.state, wanted.id, wanted.name, request.owner(), spec)) return refusal;

  for (std::uint32_t i = 0; i < count; ++i) {
    v1::Event e = c.event();
    auto* requested = e.mutable_session_requested();
    requested->set_session_id(std::string(all[i].id.view()));
    requested->set_name(all[i].name);
    *requested->mutable_owner() = request.owner();
    *requested->mutable_spec() = spec;
    if (i == 0) requested->set_body_hash(std::string(as_view(body_hash)));
    requested->set_number(i + 1);
    requested->set_count(count);
    c.emit(std::move(e));
  }
  return std::nullopt;
}

}  // namespace berth::controller
