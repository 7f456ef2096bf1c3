// Sealing (P29): secrets in requests, in the journal and in orders, as boxes that only their reader opens.
//
// XChaCha20-Poly1305. The associated data says whose the secret is and what it is, so that a box that is
// moved to another place does not open there. API servers and controllers hold a ring of sealing keys; an
// agent holds the key that is derived of its own writer's key. A producer holds none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "events/base/hash.h"
#include "events/base/result.h"
#include "events/base/uuid.h"
#include "events/codec/latest.h"
#include "events/schema/v1/common.pb.h"

namespace berth {

inline constexpr std::size_t kSealKeyBytes = 32;
inline constexpr std::size_t kSealNonceBytes = 24;
inline constexpr std::size_t kSealMacBytes = 16;

// A box that came too late: no server opens it any more.
inline constexpr Code kSealKeyDestroyed = "seal-key-destroyed";

// Whether nonce and box have the lengths that a sealed value has; who holds no key can tell no more.
bool has_seal_shape(const v1::Sealed& sealed);

// What a secret is bound to. Fields are told apart by their lengths, so no two bindings read alike.
class SealBinding {
 public:
  // Of a request's field: as asked, recorded and shown.
  static SealBinding of_request(const Uuid& cluster, std::string_view actor, std::string_view request_id,
                                std::string_view field);
  static SealBinding of_key_pair(const Uuid& cluster, std::string_view user, std::string_view id);
  static SealBinding of_password(const Uuid& cluster, std::string_view user);
  // Of the seed of the key that signs chain heads.
  static SealBinding of_head_key(const Uuid& cluster, std::string_view public_key);
  // Of what lets a browser into an app; `kind` is what it is good for.
  static SealBinding of_app_pass(const Uuid& cluster, std::string_view kind);
  // Of the environment of a kernel that an order starts.
  static SealBinding of_order(const Uuid& cluster, std::string_view agent, std::string_view kernel_id,
                              std::uint32_t attempt);
  const std::string& bytes() const { return bytes_; }

 private:
  SealBinding& add(std::string_view part);
  std::string bytes_;
};

// One key, and its number in the ring (0: an agent's own). Thread-safe.
class SealingKey {
 public:
  // REQUIRES: kSealKeyBytes of key.
  SealingKey(std::uint32_t number, std::string key) : number_(number), key_(std::move(key)) {}
  // Of an agent, from its writer's key.
  static SealingKey of_agent(std::string_view writer_key);

  std::uint32_t number() const { return number_; }
  bool operator==(const SealingKey&) const = default;
  // `nonce`: kSealNonceBytes that are never used again with this key.
  v1::Sealed seal(std::string_view secret, const SealBinding& binding, std::string_view nonce) const;
  // For who has no randomness: the nonce is a keyed hash of the binding and the secret, so that the same
  // secret in the same place gives the same box.
  v1::Sealed seal(std::string_view secret, const SealBinding& binding) const;
  // Codes: seal-broken (another key, another binding, or damaged).
  Result<std::string> open(const v1::Sealed& sealed, const SealBinding& binding) const;
  // A hash of a secret that says nothing to who does not hold the key.
  Hash128 keyed_hash(std::string_view bytes) const;

 private:
  std::uint32_t number_;
  std::string key_;
};

// The cluster's keys by number. One seals, all open. Copies share their keys, so that a key which the log
// brings is there for all who seal. Thread-safe; changed by one thread at a time.
class SealingRing {
 public:
  SealingRing() : shared_(std::make_shared<Latest<Keys>>()) {}

  // From here on it seals, if it is the newest.
  void add(SealingKey key);
  // It opens, and does not seal before seal_with_newest(); in the place of a key of its number.
  void set_to_open(SealingKey key);
  // The newest of those that were added seals.
  void seal_with_newest();
  // What it alone sealed opens no more; its bytes stay in this process's memory. The one that seals stays.
  void erase(std::uint32_t number);
  bool has(std::uint32_t number) const { return now().keys.contains(number); }
  bool empty() const { return now().keys.empty(); }
  // The one that seals. REQUIRES: !empty().
  const SealingKey& newest() const { return now().keys.at(now().sealing); }
  // Hashes with it stay the same when a key is added, and change when it is erased. REQUIRES: !empty().
  const SealingKey& oldest() const { return now().keys.begin()->second; }
  // Codes: those of SealingKey::open, unknown-sealing-key.
  Result<std::string> open(const v1::Sealed& sealed, const SealBinding& binding) const;

 private:
  struct Keys {
    std::map<std::uint32_t, SealingKey> keys;
    std::uint32_t sealing = 0;  // its number
  };
  const Keys& now() const { return shared_->get(); }
  std::shared_ptr<Latest<Keys>> shared_;
};

}  // namespace berth
