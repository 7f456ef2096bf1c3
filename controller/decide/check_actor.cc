#include "controller/decide/check_actor.h"

#include <algorithm>

#include "events/base/text.h"
#include "events/codec/signing.h"
#include "projections/session_access.h"

namespace berth::controller {
namespace {

using projections::Noun;
using projections::Verb;

constexpr std::string_view kUser = "user:";
constexpr std::string_view kAgent = "agent:";

bool is_user(const std::string& actor) { return actor.starts_with(kUser); }

// A key pair that only reads may still say that it is out of use: berth logout.
bool ends_itself(const v1::Request& request) {
  return request.remove().kind() == v1::DEFINITION_KIND_KEY &&
         request.remove().name() == request.owner().keypair();
}

// Whether files are copied out or in, the API server knows: in, it refuses by itself.
bool copies(const v1::Request& request) { return request.open_kernel().kind() == v1::WAY_KIND_COPY; }

// A key pair that only reads may still record that it was used, or that it took a backup.
bool notes(const v1::Request& request) { return request.has_record_use() || request.has_record_backup(); }

std::optional<Refusal> check_key(const DecisionContext& c, const v1::Request& request,
                                 const std::string& user) {
  const v1::Owner& owner = request.owner();
  if (owner.keypair().empty() || owner.user() != user) return std::nullopt;
  const auto* key = c.state.key_pairs.find(owner.keypair());
  if (key == nullptr || key->def.user() != user || !key->def.active())
    return Refusal{"key-inactive", "the key pair is no longer in use", "sign in anew: berth login"};
  if (key->def.expires_ns() != 0 && key->def.expires_ns() <= c.now)
    return Refusal{"key-expired", "the key pair has expired", "sign in anew: berth login"};
  if (key->def.read_only() && !notes(request) && !ends_itself(request) && !copies(request))
    return Refusal{"key-read-only", "the key pair reads, and its requests change nothing",
                   "use another key pair"};
  return std::nullopt;
}

std::optional<Refusal> check_browser_session(const DecisionContext& c, const std::string& bytes,
                                             const std::string& user) {
  if (bytes.empty()) return std::nullopt;
  const auto id = Uuid::from_bytes(bytes);
  const auto* row = id ? c.state.browser_sessions.find(*id) : nullptr;
  if (row != nullptr && row->user == user && row->expires_at > c.now) return std::nullopt;
  return Refusal{"signed-out", "this browser session has ended", "log in again"};
}

struct Need {
  Noun noun;
  Verb verb;
};

// What a definition of each kind needs. Users and projects of one domain have requests of their own.
std::vector<Need> needs(const v1::Define& define) {
  std::vector<Need> out;
  const auto add = [&out](const auto& list, Noun noun) {
    if (!list.empty()) out.push_back({noun, Verb::kCreate});
  };
  add(define.slot_types(), Noun::kSlotType);
  add(define.groups(), Noun::kGroup);
  add(define.domains(), Noun::kDomain);
  add(define.projects(), Noun::kProject);
  add(define.users(), Noun::kUser);
  add(define.key_pairs(), Noun::kKey);
  add(define.images(), Noun::kImage);
  add(define.presets(), Noun::kPreset);
  return out;
}

std::vector<Need> needs(const v1::Remove& remove) {
  switch (remove.kind()) {
    case v1::DEFINITION_KIND_GROUP: return {{Noun::kGroup, Verb::kEnd}};
    case v1::DEFINITION_KIND_IMAGE: return {{Noun::kImage, Verb::kEnd}};
    case v1::DEFINITION_KIND_PRESET: return {{Noun::kPreset, Verb::kEnd}};
    case v1::DEFINITION_KIND_AGENT: return {{Noun::kAgent, Verb::kEnd}};
    case v1::DEFINITION_KIND_PRODUCER: return {{Noun::kProducer, Verb::kEnd}};
    default: return {};
  }
}

std::vector<Need> needs(const v1::Request& r) {
  switch (r.body_case()) {
    case v1::Request::kDefine: return needs(r.define());
    case v1::Request::kRemove: return needs(r.remove());
    case v1::Request::kFenceAgent:
    case v1::Request::kDrainAgent: return {{Noun::kAgent, Verb::kChange}};
    case v1::Request::kEnrollAgent:
    case v1::Request::kCollectAgentKey: return {{Noun::kAgent, Verb::kCreate}};
    case v1::Request::kPutProducer:
      return {{Noun::kProducer, r.put_producer().create() ? Verb::kCreate : Verb::kChange}};
    case v1::Request::kCollectProducerKey: return {{Noun::kProducer, Verb::kCreate}};
    case v1::Request::kForgetVolume: return {{Noun::kVolume, Verb::kEnd}};
    case v1::Request::kRecordBackup: return {{Noun::kJournal, Verb::kSee}};
    case v1::Request::kRecordImageBuild: return {{Noun::kImage, Verb::kCreate}};
    case v1::Request::kConfirmClock: return {{Noun::kClock, Verb::kAct}};
    case v1::Request::kReleaseQuarantine: return {{Noun::kQuarantine, Verb::kAct}};
    case v1::Request::kRotateHeadKey:
    case v1::Request::kAddSealKey:
    case v1::Request::kDestroySealKey:
    case v1::Request::kResealSecrets:
    case v1::Request::kSetHistoryRule:
    case v1::Request::kPruneHistory:
    case v1::Request::kRecordRestore: return {{Noun::kCluster, Verb::kChange}};
    default: return {};
  }
}

}  // namespace

bool may_see(const DecisionContext& c, const projections::SessionRow& session) {
  return !c.actor || projections::may_see_session(c.state, *c.actor, session);
}

const projections::SessionRow* find_seen_session(const DecisionContext& c, const std::string& bytes) {
  const auto id = Uuid::from_bytes(bytes);
  const auto* session = id ? c.state.sessions.find(SessionId(*id)) : nullptr;
  return session != nullptr && may_see(c, *session) ? session : nullptr;
}

Refusal unknown_session() { return {"unknown-session", "there is no such session", "berth session ls"}; }

Refusal denied(std::string message) {
  return {"denied", std::move(message), "berth whoami shows your rights"};
}

std::optional<projections::Actor> find_actor(const projections::State& state, const std::string& actor) {
  if (!is_user(actor)) return std::nullopt;
  const auto* user = state.users.find(actor.substr(kUser.size()));
  return user == nullptr ? std::nullopt : std::optional(projections::actor_of(user->def));
}

std::optional<Refusal> check_actor(const DecisionContext& c, const v1::Request& request) {
  const std::string& actor = request.actor();
  if (actor == "controller" || producer_of(actor)) return std::nullopt;
  if (actor.starts_with(kAgent) && request.has_collect_agent_key()) return std::nullopt;
  if (!is_user(actor)) return denied("nobody is named '" + clipped(actor) + "'");
  const std::string name = actor.substr(kUser.size());
  const auto* user = c.state.users.find(name);
  if (user == nullptr) return denied("no user is named '" + clipped(name) + "'");
  if (user->def.disabled())
    return Refusal{"user-disabled", "user " + name + " is disabled", "ask an administrator"};
  if (auto refusal = check_key(c, request, name)) return refusal;
  return check_browser_session(c, request.browser_session(), name);
}

std::optional<Refusal> check_rights(const DecisionContext& c, const v1::Request& request) {
  for (const Need& need : needs(request))
    if (!allowed(c, need.noun, need.verb, v1::Owner()))
      return denied("you may not " + std::string(name_of(need.verb)) +
                    " this: " + std::string(name_of(need.noun)));
  return std::nullopt;
}

}  // namespace berth::controller
