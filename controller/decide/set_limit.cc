// A limit is set whole. An owner over the new limit keeps its sessions and gets no more.
#include "controller/decide/check_actor.h"
#include "controller/decide/decide.h"
#include "events/base/text.h"
#include "events/codec/words/enum_words.h"
#include "projections/subjects.h"

namespace berth::controller {
namespace {

std::optional<Refusal> check_slots(const projections::State& state,
                                   const google::protobuf::RepeatedPtrField<v1::SlotLimit>& slots) {
  for (int i = 0; i < slots.size(); ++i) {
    const auto& slot = slots.Get(i);
    if (state.slot_types.find(slot.slot()) == nullptr)
      return Refusal{"unknown-slot", "no slot type is named '" + clipped(slot.slot()) + "'",
                     "berth resource lists them"};
    if (slot.most() < 0)
      return Refusal{"invalid-amount", slot.slot() + " is negative", "0 blocks it; null is unlimited"};
    for (int j = 0; j < i; ++j)
      if (slots.Get(j).slot() == slot.slot())
        return Refusal{"invalid-definition", "slot " + slot.slot() + " is named twice", ""};
  }
  return std::nullopt;
}

// Whether the owner that the limit is of has been defined.
bool is_known(const projections::State& state, v1::ScopeKind scope, const std::string& id) {
  if (scope == v1::SCOPE_KIND_DOMAIN) return state.domains.find(id) != nullptr;
  if (scope == v1::SCOPE_KIND_PROJECT) return state.projects.find(id) != nullptr;
  if (scope == v1::SCOPE_KIND_USER) return state.users.find(id) != nullptr;
  return state.key_pairs.find(id) != nullptr;
}

// What a limit must look like; codes: unknown-owner, unknown-scope, unknown-slot, invalid-amount,
// invalid-definition.
std::optional<Refusal> check_limit(const projections::State& state, const v1::LimitSet& limit) {
  const v1::ScopeKind scope = limit.scope();
  if (!projections::is_limit_scope(scope))
    return Refusal{"unknown-scope", "'" + word(scope) + "' has no limits", "domain, project, user, keypair"};
  if (limit.id().empty() || limit.id().size() > 200)
    return Refusal{"invalid-definition", "a limit of nobody", "name whose it is"};
  if (scope == v1::SCOPE_KIND_PROJECT && limit.id().find('/') == std::string::npos)
    return Refusal{"invalid-definition", "a project is named with its domain",
                   "DOMAIN/NAME, like default/" + limit.id()};
  if (!is_known(state, scope, limit.id()))
    return Refusal{"unknown-owner", "there is no " + word(scope) + " '" + clipped(limit.id()) + "'",
                   "a limit of a name that is misspelt binds nobody"};
  for (const v1::Count* count : {&limit.sessions(), &limit.system_sessions(), &limit.pending(),
                                 &limit.kernels_per_session(), &limit.priority()})
    if (count->most() < 0)
      return Refusal{"invalid-amount", "a count is negative", "0 blocks everything; null is unlimited"};
  if (auto refusal = check_slots(state, limit.slots())) return refusal;
  return check_slots(state, limit.pending_slots());
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::SetLimit& body) {
  if (c.actor && !projections::may_change_limit(c.state, *c.actor, body.limit().scope(), body.limit().id()))
    return denied("this limit is not yours to set");
  if (auto refusal = check_limit(c.state, body.limit())) return *refusal;
  EventList events;
  v1::Event& e = events.add(c.stamp);
  *e.mutable_limit_set() = body.limit();
  return events;
}

}  // namespace berth::controller
