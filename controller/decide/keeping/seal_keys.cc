// The keys that seal secrets: a new one is added, what lives is sealed anew, an old one is destroyed (P29).
// The controller opens nothing: an API server, which holds the ring, makes the boxes.
#include <algorithm>

#include "controller/decide/decide.h"
#include "events/codec/sealing.h"
#include "projections/sealed_secrets.h"

namespace berth::controller {
namespace {

constexpr int kResealedAtOnce = 200;
constexpr std::size_t kSealKeysMax = 500;  // what a cluster.json takes

// Of the keys that the log knows; 0: none.
std::uint32_t newest_key(const projections::State& state) {
  std::uint32_t newest = 0;
  for (const std::string& key : state.seal_keys.sorted_keys())
    newest = std::max(newest, state.seal_keys.find(key)->number);
  return newest;
}

bool is_destroyed(const projections::State& state, std::uint32_t number) {
  const auto* row = state.seal_keys.find(projections::SealKeyRow::make_key(number));
  return row != nullptr && row->destroyed;
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::AddSealKey& body) {
  if (!has_seal_shape(body.key()) || body.number() == 0 || body.key().key() >= body.number())
    return Refusal{"seal-key-malformed", "the new sealing key is not sealed with the one before it", ""};
  if (body.number() <= newest_key(c.state))
    return Refusal{"seal-key-exists", "there is a sealing key " + std::to_string(body.number()) + " already",
                   "somebody else rotated it just now: berth key rotate seal --status"};
  if (c.state.seal_keys.size() >= kSealKeysMax)
    return Refusal{"too-many-sealing-keys", "the cluster has no room for another sealing key", ""};
  EventList events;
  auto* added = events.add(c.stamp).mutable_seal_key_added();
  added->set_number(body.number());
  *added->mutable_key() = body.key();
  return events;
}

// What was changed meanwhile stays as it is: it is sealed with a key of its own time.
Decision decide(const DecisionContext& c, const v1::ResealSecrets& body) {
  if (body.secrets_size() == 0 || body.secrets_size() > kResealedAtOnce)
    return Refusal{"invalid-value", "1 to " + std::to_string(kResealedAtOnce) + " secrets at once", ""};
  EventList events;
  for (const v1::SecretResealed& secret : body.secrets()) {
    if (!has_seal_shape(secret.secret()) || is_destroyed(c.state, secret.secret().key()))
      return Refusal{"seal-key-malformed", "a secret that is not sealed with a key of the cluster", ""};
    const auto known = projections::find_secret(c.state, secret);
    if (!known || known->sealed.key() != secret.before()) continue;
    *events.add(c.stamp).mutable_secret_resealed() = secret;
  }
  if (events.empty())
    return Refusal{"nothing-to-reseal", "all of these were changed or removed meanwhile", ""};
  return events;
}

Decision decide(const DecisionContext& c, const v1::DestroySealKey& body) {
  const std::string number = std::to_string(body.number());
  if (body.number() == 0 || body.number() >= newest_key(c.state))
    return Refusal{"seal-key-in-use", "sealing key " + number + " is the newest",
                   "berth key rotate seal makes a newer one"};
  if (is_destroyed(c.state, body.number()))
    return Refusal{"unknown-seal-key", "sealing key " + number + " is destroyed already", ""};
  std::size_t sealed = 0;
  projections::for_each_sealed_before(c.state, body.number() + 1, [&](const auto& secret) {
    sealed += secret.sealed.key() == body.number() ? 1 : 0;
    return true;
  });
  if (sealed != 0)
    return Refusal{"seal-key-in-use",
                   "sealing key " + number + " has sealed " + std::to_string(sealed) + " secrets that live",
                   "berth key rotate seal goes on with them"};
  EventList events;
  events.add(c.stamp).mutable_seal_key_destroyed()->set_number(body.number());
  return events;
}

}  // namespace berth::controller
