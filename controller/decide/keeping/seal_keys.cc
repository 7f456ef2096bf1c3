// The keys that seal secrets: a new one is added, what lives is sealed anew, an old one is destroyed (P29).
// The controller opens nothing: an API server, which holds the ring, makes the boxes.
#include <algorithm>
#include <set>

#include "controller/decide/decide.h"
#include "controller/decide/keeping/check_sealed.h"
#include "events/base/plain_text.h"
#include "events/base/time/rfc3339.h"
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

constexpr std::size_t kServerNameMax = 128;  // bytes
constexpr std::size_t kSealersMax = 256;

// A server that says the same again so soon is not written down.
constexpr Duration kSaidAnew = 20 * kHour;

bool is_backup_id(const std::string& id) {
  return id.size() == 32 && id.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Whether a server that was heard lately would seal with the key.
std::optional<Refusal> check_sealers(const DecisionContext& c, const v1::DestroySealKey& body) {
  const std::set<std::string> without(body.without().begin(), body.without().end());
  const auto* sealer = projections::find_lagging_sealer(c.state, body.number(), c.now, without);
  if (sealer == nullptr) return std::nullopt;
  return Refusal{"seal-key-not-learned",
                 "server " + sealer->server + " sealed with key " + std::to_string(sealer->number) +
                     " when it was heard last, at " + format_second(sealer->said_at),
                 "a server that lives says within seconds that it seals with a newer key; of one that is "
                 "gone for good: berth key rotate seal --destroy-old --without " +
                     sealer->server};
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::AddSealKey& body) {
  if (!has_seal_shape(body.key()) || body.number() == 0 || body.key().key() >= body.number())
    return Refusal{"seal-key-malformed", "the new sealing key is not sealed with the one before it", ""};
  if (auto refusal = check_sealed(c, body.key())) return *refusal;
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
    if (!has_seal_shape(secret.secret()))
      return Refusal{"seal-key-malformed", "a secret that is not sealed with a key of the cluster", ""};
    if (auto refusal = check_sealed(c, secret.secret())) return *refusal;
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
  if (projections::is_destroyed(c.state, body.number()))
    return Refusal{"unknown-seal-key", "sealing key " + number + " is destroyed already", ""};
  if (auto refusal = check_sealers(c, body)) return *refusal;
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

// By the server itself, whose word it is.
Decision decide(const DecisionContext& c, const v1::RecordSealing& body) {
  const std::string& server = body.sealing().server();
  const std::uint32_t number = body.sealing().number();
  if (c.actor) return denied("servers alone say with which key they seal");
  if (server.empty() || server.size() > kServerNameMax || has_control_character(server) || number == 0)
    return Refusal{"invalid-value", "a server's name and the number of its sealing key", ""};
  const auto* known = c.state.sealers.find(server);
  if (known != nullptr && known->number == number && c.now - known->said_at < kSaidAnew)
    return Refusal{"not-newer", "the server said so already", ""};
  if (known == nullptr && c.state.sealers.size() >= kSealersMax)
    return Refusal{"too-many-servers", "the cluster has as many servers as it may have", ""};
  EventList events;
  *events.add(c.stamp).mutable_server_sealing() = body.sealing();
  return events;
}

// By who reads the whole journal, which is more.
Decision decide(const DecisionContext& c, const v1::RecordBackup& body) {
  const v1::BackupTaken& backup = body.backup();
  if (!is_backup_id(backup.backup()) || backup.taken_ns() <= 0 || backup.taken_ns() > c.now ||
      backup.sealing_keys_size() > static_cast<int>(kSealKeysMax))
    return Refusal{"invalid-value", "a backup's id, its time and the sealing keys of its secrets", ""};
  if (backup.taken_ns() < c.state.kept().backup_taken)
    return Refusal{"not-newer", "a newer backup is recorded already", ""};
  EventList events;
  *events.add(c.stamp).mutable_backup_taken() = backup;
  return events;
}

}  // namespace berth::controller
