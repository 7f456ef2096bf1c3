// P29: what is sealed opens in its own place, with its own key, and nowhere else.
#include "events/codec/sealing.h"

#include <gtest/gtest.h>

#include "events/base/hash.h"
#include "events/codec/password_seal.h"

namespace berth {
namespace {

const Uuid kCluster = Uuid::from_hash(blake2b_128("a cluster"));
const std::string kNonce(kSealNonceBytes, 'n');
const std::string kSecret = "TOKEN=hunter2";

SealingKey key(char fill, std::uint32_t number = 1) { return {number, std::string(kSealKeyBytes, fill)}; }

SealBinding env_of(const std::string& actor, const std::string& request) {
  return SealBinding::of_request(kCluster, actor, request, "environment");
}

TEST(Sealing, OpensWithItsKeyInItsPlace) {
  const v1::Sealed sealed = key('k').seal(kSecret, env_of("user:a", "r1"), kNonce);
  EXPECT_EQ(sealed.SerializeAsString().find("hunter2"), std::string::npos);
  EXPECT_EQ(*key('k').open(sealed, env_of("user:a", "r1")), kSecret);
}

TEST(Sealing, P29_OpensNowhereElse) {
  const v1::Sealed sealed = key('k').seal(kSecret, env_of("user:a", "r1"), kNonce);
  EXPECT_EQ(key('x').open(sealed, env_of("user:a", "r1")).error().code, "seal-broken");
  EXPECT_EQ(key('k').open(sealed, env_of("user:b", "r1")).error().code, "seal-broken");
  EXPECT_EQ(key('k').open(sealed, env_of("user:a", "r2")).error().code, "seal-broken");
  EXPECT_EQ(key('k').open(sealed, SealBinding::of_request(kCluster, "user:a", "r1", "other")).error().code,
            "seal-broken");
  EXPECT_EQ(key('k').open(sealed, env_of("user:ar", "1")).error().code, "seal-broken")
      << "parts of a binding do not run into each other";
  EXPECT_EQ(key('k').open(sealed, SealBinding::of_key_pair(kCluster, "user:a", "r1")).error().code,
            "seal-broken");
}

TEST(Sealing, P29_AUsersPasswordIsNoOtherUsers) {
  SealingRing ring;
  ring.add(key('k'));
  const PasswordSeal seal(kCluster, ring);
  const v1::Sealed sealed = seal.seal("alice", "$argon2id$...");
  EXPECT_EQ(*seal.open("alice", sealed), "$argon2id$...");
  EXPECT_EQ(seal.open("bob", sealed).error().code, "seal-broken");
}

TEST(Sealing, ADamagedBoxIsAnErrorAndNoMore) {
  v1::Sealed sealed = key('k').seal(kSecret, env_of("user:a", "r1"), kNonce);
  for (std::size_t i = 0; i < sealed.box().size(); ++i) {
    v1::Sealed bent = sealed;
    (*bent.mutable_box())[i] ^= 1;
    EXPECT_EQ(key('k').open(bent, env_of("user:a", "r1")).error().code, "seal-broken");
  }
  sealed.set_nonce("short");
  EXPECT_EQ(key('k').open(sealed, env_of("user:a", "r1")).error().code, "seal-broken");
  EXPECT_EQ(key('k').open({}, env_of("user:a", "r1")).error().code, "seal-broken");
}

TEST(Sealing, WithoutRandomnessTheNonceFollowsFromSecretAndPlace) {
  const SealBinding one = SealBinding::of_order(kCluster, "a1", "kernel", 1);
  const SealBinding two = SealBinding::of_order(kCluster, "a1", "kernel", 2);
  const SealingKey agent = SealingKey::of_agent(std::string(32, 'a'));
  EXPECT_EQ(agent.seal(kSecret, one).SerializeAsString(), agent.seal(kSecret, one).SerializeAsString());
  EXPECT_NE(agent.seal(kSecret, one).nonce(), agent.seal(kSecret, two).nonce());
  EXPECT_NE(agent.seal(kSecret, one).nonce(), agent.seal("other", one).nonce());
  EXPECT_EQ(*agent.open(agent.seal(kSecret, one), one), kSecret);
  EXPECT_FALSE(SealingKey::of_agent(std::string(32, 'b')).open(agent.seal(kSecret, one), one));
}

TEST(Sealing, ARingSealsWithItsNewestKeyAndOpensWithAll) {
  SealingRing ring;
  ring.add(key('1', 1));
  const v1::Sealed old = ring.newest().seal(kSecret, env_of("user:a", "r1"), kNonce);
  ring.add(key('2', 2));
  EXPECT_EQ(ring.newest().number(), 2u);
  EXPECT_EQ(*ring.open(old, env_of("user:a", "r1")), kSecret);
  v1::Sealed unknown = old;
  unknown.set_key(9);
  EXPECT_EQ(ring.open(unknown, env_of("user:a", "r1")).error().code, "unknown-sealing-key");
}

TEST(Sealing, AKeyOfTheLogOpensAtOnceAndSealsOnceItIsSaid) {
  SealingRing ring;
  ring.add(key('1', 1));
  SealingRing copy = ring;
  copy.set_to_open(key('2', 2));
  const v1::Sealed elsewhere = key('2', 2).seal(kSecret, env_of("user:a", "r1"), kNonce);
  EXPECT_EQ(*ring.open(elsewhere, env_of("user:a", "r1")), kSecret) << "all copies have it";
  EXPECT_EQ(ring.newest().number(), 1u) << "another server may not have it yet";
  copy.seal_with_newest();
  EXPECT_EQ(ring.newest().number(), 2u);
}

// The log lost the record that brought key 2, and another one brought another key of that number.
TEST(Sealing, P35_TheKeyOfTheLogStandsInThePlaceOfOneThatIsLost) {
  SealingRing ring;
  ring.add(key('1', 1));
  ring.add(key('2', 2));
  ring.set_to_open(key('x', 2));
  EXPECT_EQ(*ring.open(key('x', 2).seal(kSecret, env_of("user:a", "r1"), kNonce), env_of("user:a", "r1")),
            kSecret);
  EXPECT_EQ(
      *key('x', 2).open(ring.newest().seal(kSecret, env_of("user:a", "r1"), kNonce), env_of("user:a", "r1")),
      kSecret)
      << "it seals, too";
}

TEST(Sealing, WhatOnlyAnErasedKeySealedOpensNowhere) {
  SealingRing ring;
  ring.add(key('1', 1));
  ring.add(key('2', 2));
  const v1::Sealed old = key('1', 1).seal(kSecret, env_of("user:a", "r1"), kNonce);
  ring.erase(2);
  EXPECT_TRUE(ring.has(2)) << "the one that seals stays";
  ring.erase(1);
  EXPECT_EQ(ring.open(old, env_of("user:a", "r1")).error().code, "unknown-sealing-key");
  EXPECT_EQ(ring.oldest().number(), 2u) << "keyed hashes change";
}

TEST(Sealing, AKeyedHashIsOfItsKey) {
  EXPECT_EQ(key('k').keyed_hash(kSecret), key('k').keyed_hash(kSecret));
  EXPECT_NE(key('k').keyed_hash(kSecret), key('x').keyed_hash(kSecret));
  EXPECT_NE(key('k').keyed_hash(kSecret), blake2b_128(kSecret));
}

}  // namespace
}  // namespace berth
