#include <algorithm>
#include <set>

#include "controller/decide/admit_session.h"
#include "controller/decide/check_actor.h"
#include "controller/decide/check_owner.h"
#include "controller/decide/decide.h"
#include "controller/decide/folders/automatic_folder.h"
#include "controller/decide/folders/check_mounts.h"
#include "controller/decide/keeping/check_sealed.h"
#include "controller/decide/placement_size.h"
#include "controller/decide/session_spec.h"
#include "events/base/text.h"
#include "events/codec/envelope.h"
#include "events/codec/sealing.h"
#include "events/codec/signing.h"

namespace berth::controller {
namespace {

using projections::SessionRow;
using projections::State;

// A record must hold the whole request (P4); what the envelope and header take is far below the margin.
constexpr std::size_t kRequestBytesMax = kRecordBytesMax - (32u << 10);
constexpr std::size_t kMetBytes = 2 * 18;  // of a dependency that is met: it stands in two lists

using Ids = google::protobuf::RepeatedPtrField<std::string>;  // 16 bytes each

struct Wanted {
  SessionId id;
  std::string name;
};

// The id follows from the request alone (P13). So a request that is decided again, after a restore or a
// rewind, names the session that its sender was told of (P35).
SessionId derive_session_id(const DecisionContext& c, const RequestHash& hash, std::uint32_t number) {
  std::string input = "session:" + c.stamp.actor + '\0' + c.stamp.request_id +
                      std::string(as_view(hash.bytes)) + "/" + std::to_string(number);
  return SessionId(Uuid::from_hash(blake2b_128(input)));
}

// A derived id is in use only by the session of the same request of the same actor, whose idempotency key was
// forgotten meanwhile: so its name may be told.
std::optional<Refusal> check_derived(const DecisionContext& c, const SessionId& id) {
  std::optional<std::string> first;
  if (const SessionRow* row = c.state.sessions.find(id)) {
    first = row->name;
  } else if (const auto past = c.in_history ? c.in_history(id) : std::nullopt) {
    first = past->name;
  }
  if (!first) return std::nullopt;
  return Refusal{
      "id-in-use",
      "this request was answered more than 24 hours ago by session " + *first + " (" + to_string(id) + ")",
      "send a new Idempotency-Key to request another session"};
}

// Ids and names of all sessions of the request, in order. Ids given must be distinct, and new in history;
// admit_session looks for them in the state.
std::optional<Refusal> name_all(const DecisionContext& c, const v1::RequestSession& body,
                                const RequestHash& hash, std::uint32_t count, std::vector<Wanted>& out) {
  if (body.session_ids_size() != 0 && static_cast<std::uint32_t>(body.session_ids_size()) != count)
    return Refusal{"invalid-spec", "as many session ids as sessions must be given, or none", ""};
  std::set<SessionId> seen;
  for (std::uint32_t number = 1; number <= count; ++number) {
    Wanted wanted;
    if (body.session_ids_size() == 0) {
      wanted.id = derive_session_id(c, hash, number);
      if (auto refusal = check_derived(c, wanted.id)) return refusal;
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

// The owner's session of that id or name: the live one, else the newest that has ended.
const SessionRow* find_own(const State& state, const std::string& user, const std::string& text) {
  const SessionRow* found = nullptr;
  if (const auto id = Uuid::parse(text)) found = state.sessions.find(SessionId(*id));
  if (found == nullptr) found = state.find_live(user, text);
  if (found != nullptr) return found->owner->owner.user() == user ? found : nullptr;
  state.sessions.for_each_unordered(
      [&](const SessionRow& row) {  // the greatest position wins, whatever the order
        if (row.name == text && row.owner->owner.user() == user &&
            (found == nullptr || row.created > found->created))
          found = &row;
      });
  return found;
}

// On a session that left the state, named by its id.
std::optional<Refusal> check_past(const DecisionContext& c, const std::string& text,
                                  const std::string& user) {
  const auto id = Uuid::parse(text);
  const auto past = id && c.in_history ? c.in_history(SessionId(*id)) : std::nullopt;
  if (!past || past->user != user)
    return Refusal{"unknown-dependency", "you have no session '" + clipped(text) + "'",
                   "berth session ls --all lists them"};
  return check_dependency(past->name, past->type, past->result != projections::SessionResult::kSuccess);
}

void add_once(Ids& ids, const Uuid& id) {
  std::string bytes(id.view());
  if (std::find(ids.begin(), ids.end(), bytes) == ids.end()) *ids.Add() = std::move(bytes);
}

// Names and ids as ids, those that are met already apart. A session of this request is refused: it could
// close a cycle. One that exists already depends on none of these.
std::optional<Refusal> resolve_dependencies(const DecisionContext& c, const v1::RequestSession& body,
                                            const std::string& user, const std::vector<Wanted>& all,
                                            v1::SessionSpec& spec, Ids& met) {
  if (body.depends_on_size() > projections::kDependenciesMax)
    return Refusal{"invalid-spec",
                   "more than " + std::to_string(projections::kDependenciesMax) + " dependencies", ""};
  if (body.depends_on_size() > 0 && spec.type() != v1::BATCH)
    return Refusal{"not-for-this-type", "only a batch session can depend on others", "set the type to batch"};
  for (const std::string& text : body.depends_on()) {
    for (const Wanted& wanted : all)
      if (wanted.name == text || to_string(wanted.id) == text)
        return Refusal{"dependency-cycle", "session " + wanted.name + " would wait for itself",
                       "leave it out of depends_on"};
    if (const SessionRow* on = find_own(c.state, user, text)) {
      add_once(*spec.mutable_depends_on(), on->id);
    } else {
      if (auto refusal = check_past(c, text, user)) return refusal;
      add_once(met, *Uuid::parse(text));
    }
  }
  return std::nullopt;
}

// A sealed environment differs from try to try: only the keyed hash over what it holds tells a repeat.
std::optional<Refusal> check_environment(const DecisionContext& c, const v1::RequestSession& body,
                                         const RequestHash& hash) {
  if (!body.has_environment() && body.spec().env_size() != 0 && producer_of(c.stamp.actor))
    return Refusal{"plaintext-environment", "a producer cannot send an environment: nobody has sealed it",
                   "ask by the API, which seals it"};
  if (!body.has_environment()) return std::nullopt;
  if (!has_seal_shape(body.environment()))
    return Refusal{"invalid-spec", "the sealed environment has no nonce or no box", ""};
  if (!hash.keyed)
    return Refusal{"missing-keyed-hash", "a request with a sealed environment carries a keyed hash of it",
                   ""};
  if (body.spec().env_size() != 0)
    return Refusal{"invalid-spec", "an environment is sealed as a whole or not at all", ""};
  return check_sealed(c, body.environment());
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::Request& request, const v1::RequestSession& body,
                const RequestHash& hash) {
  const std::uint32_t count = std::max(1u, body.count());
  if (count > projections::kSessionsPerRequestMax)
    return Refusal{
        "invalid-spec",
        "at most " + std::to_string(projections::kSessionsPerRequestMax) + " sessions in a request",
        "ask in several requests"};
  if (!allowed(c, projections::Noun::kSession, projections::Verb::kCreate, request.owner()))
    return denied("you may not ask for sessions of user " + clipped(request.owner().user()));
  if (auto refusal = check_environment(c, body, hash)) return *refusal;
  v1::SessionSpec spec = complete(c.state, body.spec());
  std::vector<Wanted> all;
  if (auto refusal = name_all(c, body, hash, count, all)) return *refusal;
  Ids met;
  if (auto refusal = resolve_dependencies(c, body, request.owner().user(), all, spec, met)) return *refusal;
  const std::size_t met_bytes = kMetBytes * static_cast<std::size_t>(met.size());
  if ((spec.ByteSizeLong() + met_bytes + request.owner().ByteSizeLong() + 300) * count +
          body.environment().ByteSizeLong() >
      kRequestBytesMax)
    return Refusal{"request-too-large",
                   "the request's record would be larger than " + std::to_string(kRecordBytesMax) + " bytes",
                   "shorten env and command, or ask for fewer sessions at once"};
  for (std::uint32_t i = 0; i < count; ++i)  // all or none
    if (auto refusal = admit_session(c.state, all[i].id, all[i].name, request.owner(), spec, i))
      return *refusal;
  spec.mutable_depends_on()->MergeFrom(met);  // only now: admit_session looks for the others in the state
  if (auto refusal = check_owner(c.state, request.owner())) return *refusal;
  if (auto refusal = check_mounts(c, request.owner(), spec)) return *refusal;
  if (auto refusal = check_served(c.state, spec)) return *refusal;
  if (auto refusal = check_placement_size(c.state, spec, body.environment().ByteSizeLong())) return *refusal;

  EventList events;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto* requested = events.add(c.stamp).mutable_session_requested();
    requested->set_session_id(std::string(all[i].id.view()));
    requested->set_name(all[i].name);
    *requested->mutable_owner() = request.owner();
    *requested->mutable_spec() = spec;
    if (i == 0 && body.has_environment()) *requested->mutable_environment() = body.environment();
    *requested->mutable_met() = met;
    requested->set_number(i + 1);
    requested->set_count(count);
  }
  add_automatic_folder(c, request.owner(), spec, events);
  return events;
}

}  // namespace berth::controller
