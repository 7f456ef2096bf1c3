// How the cluster is kept: history's rule and what it prunes, a log that goes on from a backup, and the keys
// that seal secrets.
#include <algorithm>

#include "projections/fold/event_context.h"
#include "projections/fold/net.h"
#include "projections/sealed_secrets.h"

namespace berth::projections {
namespace {

// The epochs that the lost part of a log may have had: those of the restored one come after them all.
constexpr std::uint64_t kRestoreLift = 1'000;
constexpr std::size_t kBackupIdBytes = 32;
constexpr int kLostKeysMax = 500;

Forbidden accepted(EventContext& c) {
  if (!c.event.request_id().empty()) note_answer(c, AnswerKind::kAccepted);
  return {};
}

template <class Table> void erase_all(Table& table) {
  for (const auto& key : table.sorted_keys()) table.erase(key);
}

Forbidden check_new_key(const State& state, const v1::SealKeyAdded& e) {
  if (e.number() == 0) return "a sealing key without a number";
  if (Forbidden reason = net::check_sealed(state, e.key()); !reason.empty()) return reason;
  if (e.key().key() >= e.number()) return "a sealing key that no older one seals";
  for (const std::string& key : state.seal_keys.sorted_keys())
    if (state.seal_keys.find(key)->number >= e.number()) return "a sealing key that is not the newest";
  return {};
}

}  // namespace

Forbidden apply(EventContext& c, const v1::HistoryRuleSet& e) {
  if (e.keep_ms() < 0) return "a time out of range";
  KeepingRow row = c.state.kept();
  row.history_keep_ms = e.keep_ms();
  c.state.keeping.put(std::move(row));
  return accepted(c);
}

Forbidden apply(EventContext& c, const v1::HistoryPruned& e) {
  KeepingRow row = c.state.kept();
  if (e.before_ns() <= row.pruned_before) return "history is pruned up to there already";
  if (e.before_ns() > c.time) return "history of what is to come";
  row.pruned_before = e.before_ns();
  c.state.keeping.put(std::move(row));
  return accepted(c);
}

// Who was signed in then is not now: a browser session may have been ended in the part of the log that is
// lost. No record of this epoch follows; the next election begins an epoch that the lost part never had.
Forbidden apply(EventContext& c, const v1::ClusterRestored& e) {
  if (e.backup().size() != kBackupIdBytes) return "a restore without its backup's id";
  if (e.taken_ns() > c.time) return "a backup of what is to come";
  if (e.lost_seal_keys_size() > kLostKeysMax) return "too many keys that are lost";
  if (std::ranges::count(e.lost_seal_keys(), 0u) > 0) return "a key without a number is lost";
  erase_all(c.state.browser_sessions);
  erase_all(c.state.login_links);
  erase_all(c.state.sealers);
  for (const std::uint32_t number : e.lost_seal_keys()) c.state.seal_keys.put({number, {}, 0, true});
  // A backup has no input streams: those that begin now have other inputs at these offsets (P35).
  for (const std::string& what : c.state.quarantine.sorted_keys())
    if (what.starts_with("requests/") || what.starts_with("reports/")) c.state.quarantine.erase(what);
  KeepingRow row = c.state.kept();
  if (row.attempt_base > UINT32_MAX - 2 * kAttemptsOfARestore) return "too many restores";
  row.attempt_base += kAttemptsOfARestore;
  row.restored_from = e.backup();
  row.restored_taken = e.taken_ns();
  row.restored_at = c.time;
  c.state.keeping.put(std::move(row));
  EpochRow epoch = c.state.epoch();
  epoch.epoch += kRestoreLift;
  epoch.dead = true;
  c.state.epochs.put(std::move(epoch));
  return accepted(c);
}

Forbidden apply(EventContext& c, const v1::SealKeyAdded& e) {
  if (Forbidden reason = check_new_key(c.state, e); !reason.empty()) return reason;
  c.state.seal_keys.put({e.number(), e.key(), c.time, false});
  return accepted(c);
}

Forbidden apply(EventContext& c, const v1::SecretResealed& e) {
  if (Forbidden reason = net::check_sealed(c.state, e.secret()); !reason.empty()) return reason;
  const auto secret = find_secret(c.state, e);
  if (!secret) return "a secret that does not exist";
  if (secret->sealed.key() != e.before()) return "a secret that another key sealed";
  if (e.kind() == v1::SECRET_KIND_KEY) {
    KeyPairRow row = *c.state.key_pairs.find(e.name());
    *row.def.mutable_secret() = e.secret();
    c.state.key_pairs.put(std::move(row));
  } else if (e.kind() == v1::SECRET_KIND_PASSWORD) {
    PasswordRow row = *c.state.passwords.find(e.name());
    *row.def.mutable_hash() = e.secret();
    c.state.passwords.put(std::move(row));
  } else if (e.kind() == v1::SECRET_KIND_HEAD) {
    HeadRow row = *c.state.heads.find("head");
    row.secret_key = e.secret();
    c.state.heads.put(std::move(row));
  } else {
    SessionRow row = *c.state.sessions.find(secret->session);
    row.environment = std::make_shared<const std::string>(canonical_bytes(e.secret()));
    c.state.sessions.put(std::move(row));
  }
  return accepted(c);
}

Forbidden apply(EventContext& c, const v1::SealKeyDestroyed& e) {
  bool has_newer = false;
  for (const std::string& key : c.state.seal_keys.sorted_keys()) {
    const SealKeyRow* row = c.state.seal_keys.find(key);
    has_newer = has_newer || (row->number > e.number() && !row->destroyed);
  }
  if (e.number() == 0 || !has_newer) return "the newest sealing key";
  const SealKeyRow* known = c.state.seal_keys.find(SealKeyRow::make_key(e.number()));
  if (is_destroyed(c.state, e.number())) return "a sealing key that is destroyed";
  Forbidden used;
  for_each_sealed_before(c.state, e.number() + 1, [&](const SealedSecret& secret) {
    if (secret.sealed.key() == e.number()) used = "a sealing key that has sealed what lives";
    return used.empty();
  });
  if (!used.empty()) return used;
  c.state.seal_keys.put({e.number(), {}, known != nullptr ? known->added_at : 0, true});
  return accepted(c);
}

Forbidden apply(EventContext& c, const v1::ServerSealing& e) {
  if (e.server().empty() || e.number() == 0) return "a server that seals with no key";
  for (const std::string& server : c.state.sealers.sorted_keys())
    if (c.time - c.state.sealers.find(server)->said_at >= kSealerHeard) c.state.sealers.erase(server);
  c.state.sealers.put({e.server(), e.number(), c.time});
  return accepted(c);
}

Forbidden apply(EventContext& c, const v1::BackupTaken& e) {
  if (e.backup().size() != kBackupIdBytes) return "a backup without its id";
  if (e.taken_ns() > c.time) return "a backup of what is to come";
  KeepingRow row = c.state.kept();
  row.backup = e.backup();
  row.backup_taken = e.taken_ns();
  c.state.keeping.put(std::move(row));
  return accepted(c);
}

}  // namespace berth::projections
