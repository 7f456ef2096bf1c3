#include <algorithm>

#include "controller/decide/decide.h"
#include "controller/decide/identity/identity_checks.h"
#include "controller/decide/keeping/check_sealed.h"
#include "controller/decide/name_retired.h"
#include "events/codec/sealing.h"
#include "projections/sealed_secrets.h"

namespace berth::controller {
namespace {

using projections::KeyPairRow;
using projections::Noun;
using projections::Verb;

constexpr int kInUseMax = 16;  // key pairs of a user that sign
constexpr int kAllMax = 64;    // with those that are switched off or have expired

bool is_in_use(const v1::KeyPairDefined& key, Timestamp now) {
  return key.active() && (key.expires_ns() == 0 || key.expires_ns() > now);
}

std::optional<Refusal> check_room(const DecisionContext& c, const std::string& user, bool is_new) {
  int in_use = 0, all = 0;
  c.state.key_pairs.for_each_unordered([&](const KeyPairRow& row) {
    if (row.def.user() != user || projections::is_destroyed(c.state, row.def.secret().key())) return;
    ++all;
    in_use += is_in_use(row.def, c.now) ? 1 : 0;
  });
  if (in_use >= kInUseMax)
    return Refusal{"too-many-keys", "user " + user + " has 16 key pairs in use", "berth key rm ends one"};
  if (is_new && all >= kAllMax)
    return Refusal{"too-many-keys", "user " + user + " has 64 key pairs", "berth key rm removes old ones"};
  return std::nullopt;
}

bool is_id(const std::string& id) {
  return !id.empty() && id.size() <= 128 &&
         std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c <= '~'; });
}

std::optional<Refusal> check(const DecisionContext& c, const v1::KeyPairDefined& key) {
  if (auto refusal = check_user(c, Noun::kKey, Verb::kCreate, key.user())) return refusal;
  if (!is_id(key.id())) return Refusal{"invalid-definition", "the id of a key pair is visible ASCII", ""};
  if (c.state.key_pairs.find(key.id()) != nullptr)
    return Refusal{"id-in-use", "there is a key pair of that id already", ""};
  if (auto retired = check_not_retired(c.state, v1::DEFINITION_KIND_KEY, key.id())) return *retired;
  if (key.name().empty()) return Refusal{"invalid-name", "a key pair has a name, for people", ""};
  if (auto refusal = check_display_name(key.name())) return refusal;
  if (!has_seal_shape(key.secret()))
    return Refusal{"invalid-definition", "a key pair comes with its sealed secret", "ask by the API"};
  if (auto refusal = check_sealed(c, key.secret())) return *refusal;
  if (key.expires_ns() != 0 && key.expires_ns() <= c.now)
    return Refusal{"invalid-definition", "the key pair would have expired already", ""};
  return check_room(c, key.user(), true);
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::Request& request, const v1::AddKeyPair& body) {
  if (auto refusal = check(c, body.key())) return *refusal;
  if (!body.password_set().empty())
    if (auto refusal = check_password_set(c, body.key().user(), body.password_set())) return *refusal;
  EventList events;
  auto& key = *events.add(c.stamp).mutable_key_pair_defined();
  key = body.key();
  key.set_active(true);
  key.set_created_ns(c.now);
  key.set_used_ns(0);
  key.set_made_by(maker_of(c, request.owner(), key.user()));
  if (c.state.users.find(key.user())->def.role() == v1::ROLE_MONITOR) key.set_read_only(true);
  return events;
}

Decision decide(const DecisionContext& c, const v1::ChangeKeyPair& body) {
  const KeyPairRow* known = c.state.key_pairs.find(body.id());
  if (known == nullptr) return unknown_key_pair(body.id());
  if (auto refusal = check_user(c, Noun::kKey, Verb::kChange, known->def.user()))
    return refusal->code == "unknown-user" ? unknown_key_pair(body.id()) : *refusal;
  if (body.active() && !known->def.active())
    if (auto refusal = check_room(c, known->def.user(), false)) return *refusal;
  EventList events;
  auto& key = *events.add(c.stamp).mutable_key_pair_defined();
  key = known->def;
  key.set_active(body.active());
  return events;
}

}  // namespace berth::controller
