// Keys of agents and producers while their secret is changed (ADR 0097).
#include "events/codec/writer_secrets.h"

#include <gtest/gtest.h>

#include "events/codec/signing.h"

namespace berth::testing {
namespace {

const std::string kCluster(32, 'c'), kFirst(32, 'f'), kSecond(32, 's');

TEST(WriterSecrets, P1_WithoutARotationAllKeysAreOfTheClustersSecret) {
  const WriterSecrets secrets(kCluster);
  for (const char* writer : {"agent:a1", "producer:web", "api:host"})
    EXPECT_EQ(secrets.key_of(writer, 3), derive_key(kCluster, writer, 3));
  EXPECT_FALSE(secrets.is_of_before("agent:a1", 3));
}

TEST(WriterSecrets, P1_AKeyThatWasGivenOutIsGoodUntilItsOwnerJoinsAnew) {
  const WriterSecrets secrets(kCluster, {{kFirst, {{"agent:a1", 2}}}, {kSecond, {}}});
  EXPECT_EQ(secrets.key_of("agent:a1", 2), derive_key(kFirst, "agent:a1", 2));
  EXPECT_EQ(secrets.key_of("agent:a1", 3), derive_key(kSecond, "agent:a1", 3));
  EXPECT_EQ(secrets.key_of("agent:new", 1), derive_key(kSecond, "agent:new", 1));
  EXPECT_TRUE(secrets.is_of_before("agent:a1", 2));
  EXPECT_FALSE(secrets.is_of_before("agent:a1", 3));
}

TEST(WriterSecrets, P1_ServersGoOnWithTheClustersSecret) {
  const WriterSecrets secrets(kCluster, {{kFirst, {}}, {kSecond, {}}});
  for (const char* writer : {"api:host", "controller", "journal"})
    EXPECT_EQ(secrets.key_of(writer, 1), derive_key(kCluster, writer, 1));
}

TEST(WriterSecrets, P1_AVerifierForgetsKeysOfASecretThatIsGivenUp) {
  WriterSecrets secrets(kCluster, {{kFirst, {{"agent:a1", 1}}}, {kSecond, {}}});
  Verifier verifier(Uuid{}, secrets);
  const std::string signed_before =
      Signer(Uuid{}, "agent:a1", 1, derive_key(kFirst, "agent:a1", 1)).sign(Channel::kReport, "body");
  EXPECT_TRUE(verifier.open(Channel::kReport, signed_before).ok());
  secrets.change({{kSecond, {}}});
  EXPECT_EQ(verifier.open(Channel::kReport, signed_before).error().code, "bad-signature");
  EXPECT_TRUE(verifier
                  .open(Channel::kReport, Signer(Uuid{}, "agent:a1", 2, derive_key(kSecond, "agent:a1", 2))
                                              .sign(Channel::kReport, "body"))
                  .ok());
}

}  // namespace
}  // namespace berth::testing
