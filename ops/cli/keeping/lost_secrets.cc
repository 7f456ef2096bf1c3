#include "ops/cli/keeping/lost_secrets.h"

#include <algorithm>

#include "controller/api/keeping/seal_key_place.h"
#include "events/codec/chain_head.h"
#include "events/codec/environment_seal.h"
#include "events/codec/key_pair_seal.h"
#include "events/codec/password_seal.h"
#include "projections/sealed_secrets.h"

namespace berth::cli {
namespace {

using projections::SealedSecret;
using projections::State;

constexpr std::size_t kNamedMax = 5;

SealingRing ring_of(const std::vector<v1::SealKeyAdded>& added, const controller::ClusterIdentity& identity) {
  SealingRing ring = identity.sealing;
  for (const v1::SealKeyAdded& one : added) {
    if (ring.has(one.number())) continue;
    const auto key =
        PasswordSeal(identity.cluster, ring).open(controller::api::seal_key_place(one.number()), one.key());
    if (key && key->size() == kSealKeyBytes) ring.set_to_open({one.number(), *key});
  }
  ring.seal_with_newest();
  return ring;
}

bool opens(const State& state, const Uuid& cluster, const SealingRing& ring, const SealedSecret& secret) {
  switch (secret.kind) {
    case v1::SECRET_KIND_KEY:
      return KeyPairSeal(cluster, ring).open(state.key_pairs.find(secret.name)->def).ok();
    case v1::SECRET_KIND_PASSWORD: return PasswordSeal(cluster, ring).open(secret.name, secret.sealed).ok();
    case v1::SECRET_KIND_HEAD:
      return HeadSigner(cluster, ring).sealed_anew(state.heads.find("head")->public_key, secret.sealed).ok();
    default: break;
  }
  const auto* session = state.sessions.find(secret.session);
  return EnvironmentSeal(cluster, ring)
      .open(*session->environment, session->actor, session->request.view())
      .ok();
}

void add_names(std::string& out, const std::vector<std::string>& names, const char* noun) {
  if (names.empty()) return;
  if (!out.empty()) out += ", ";
  out += std::to_string(names.size()) + " " + noun + (names.size() == 1 ? "" : "s") + " (";
  for (std::size_t i = 0; i < std::min(names.size(), kNamedMax); ++i) out += (i == 0 ? "" : ", ") + names[i];
  out += names.size() > kNamedMax ? ", ...)" : ")";
}

}  // namespace

LostSecrets find_lost_secrets(const State& state, const std::vector<v1::SealKeyAdded>& added,
                              const controller::ClusterIdentity& identity) {
  const SealingRing ring = ring_of(added, identity);
  LostSecrets lost;
  lost.seals_with_none = projections::is_destroyed(state, ring.newest().number());
  projections::for_each_sealed_before(state, UINT32_MAX, [&](const SealedSecret& secret) {
    if (opens(state, identity.cluster, ring, secret)) return true;
    lost.sealed_with.insert(secret.sealed.key());
    if (secret.kind == v1::SECRET_KIND_KEY)
      lost.keys.push_back(secret.name);
    else if (secret.kind == v1::SECRET_KIND_PASSWORD)
      lost.passwords.push_back(secret.name);
    else
      ++lost.others;
    return true;
  });
  return lost;
}

std::string to_string(const LostSecrets& lost) {
  std::string out;
  add_names(out, lost.keys, "key pair");
  add_names(out, lost.passwords, "password");
  if (lost.others > 0)
    out += (out.empty() ? "" : ", ") + std::to_string(lost.others) +
           " of sessions' environments and the key of chain heads";
  return out;
}

}  // namespace berth::cli
