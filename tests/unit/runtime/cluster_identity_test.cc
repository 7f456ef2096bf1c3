// cluster.json: the cluster's id, its secret and its sealing keys.
#include "controller/runtime/cluster_identity.h"

#include <gtest/gtest.h>

#include "controller/runtime/journal_owner.h"
#include "events/base/files/known_folder.h"
#include "events/base/files/private_files.h"
#include "tests/support/log/threaded_memory_log.h"
#include "tests/support/temp_dir.h"

namespace berth::testing {
namespace {

using controller::ClusterIdentity;
using controller::read_cluster_identity;
using controller::store_sealing_key;

class ClusterFile : public ::testing::Test {
 protected:
  ClusterIdentity read() {
    auto identity = read_cluster_identity(path_);
    return identity ? std::move(*identity) : ClusterIdentity{};
  }
  std::string text() { return *read_private_file(path_, "cluster-file", ""); }
  void write(const std::string& text) { ASSERT_TRUE(write_private_file(path_, text, "cluster-file")); }
  // A file with these members more.
  static std::string with(const std::string& more) {
    return R"({"format": 1, "cluster": ")" + to_string(Uuid::from_hash({7})) + R"(", "secret": ")" +
           std::string(64, 'a') + "\", " + more + "}";
  }
  static std::string key(std::uint32_t number) {
    return R"({"number": )" + std::to_string(number) + R"(, "key": ")" + std::string(64, 'b') + "\"}";
  }

  const TempDir folder_;
  const std::string path_ = folder_.path() / "cluster.json";
  const std::string nonce_ = std::string(kSealNonceBytes, 'n');
  const SealBinding binding_ = SealBinding::of_request(Uuid{}, "user:a", "r1", "env");
};

TEST_F(ClusterFile, AFolderThatHeldAClusterMayHoldNoOtherAndNotBeEmpty) {
  const std::string data = folder_.path().string(), record = data + "/known/record";
  const auto code = [&] {
    const auto checked = controller::check_known_cluster(data, record);
    return checked ? "" : checked.error().code.word();
  };
  EXPECT_EQ(code(), "");
  const auto made = controller::load_or_create_cluster_identity(path_);
  ASSERT_TRUE(made);
  ASSERT_FALSE(remember_folder({record, data, "cluster"}, to_string(made->cluster)));
  EXPECT_EQ(code(), "");
  std::filesystem::remove(path_);
  EXPECT_EQ(code(), "known-folder-empty");
  ASSERT_TRUE(controller::load_or_create_cluster_identity(path_));
  EXPECT_EQ(code(), "known-folder-other");
  EXPECT_EQ(controller::remember_cluster("/", record + "2", made->cluster, false), "");
  EXPECT_FALSE(std::filesystem::exists(record + "2")) << "who starts it by hand may begin anew";
  EXPECT_EQ(controller::remember_cluster("/", record + "2", made->cluster, true), "");
  EXPECT_TRUE(std::filesystem::exists(record + "2")) << "a service's is never removed on purpose in silence";
}

TEST_F(ClusterFile, P29_AKeyMoreSealsAndTheOlderOnesStillOpen) {
  const auto made = controller::load_or_create_cluster_identity(path_);
  ASSERT_TRUE(made);
  const v1::Sealed first = made->sealing.newest().seal("hunter2", binding_, nonce_);
  for (const std::uint32_t number : {2u, 3u}) {
    const auto added =
        store_sealing_key(path_, number, std::string(kSealKeyBytes, static_cast<char>(number)));
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_EQ(read().sealing.newest().number(), number);
  }
  EXPECT_EQ(read().cluster, made->cluster);
  EXPECT_EQ(read().secret, made->secret);
  EXPECT_EQ(*read().sealing.open(first, binding_), "hunter2");
  const v1::Sealed newest = read().sealing.newest().seal("hunter3", binding_, nonce_);
  EXPECT_EQ(*read().sealing.open(newest, binding_), "hunter3");
  EXPECT_EQ(made->sealing.open(newest, binding_).error().code, "unknown-sealing-key");
  EXPECT_EQ(read().sealing.oldest().keyed_hash("x"), made->sealing.oldest().keyed_hash("x"));
}

TEST_F(ClusterFile, AFileOfBuildsBeforeTheFirstReleaseIsRefusedAndStays) {
  const std::string before = R"({"cluster": ")" + to_string(Uuid::from_hash({7})) + R"(", "secret": ")" +
                             std::string(64, 'a') + "\"}";
  write(before);
  EXPECT_EQ(read_cluster_identity(path_).error().code, "made-before-0.1.0");
  EXPECT_EQ(controller::load_or_create_cluster_identity(path_).error().code, "made-before-0.1.0");
  EXPECT_EQ(text(), before);
  write(R"({"format": 2, "cluster": ")" + to_string(Uuid::from_hash({7})) + R"(", "secret": ")" +
        std::string(64, 'a') + "\"}");
  EXPECT_EQ(read_cluster_identity(path_).error().code, "cluster-file-malformed");
}

TEST_F(ClusterFile, P29_WhatANewerBuildAddedStaysInTheFile) {
  write(with(R"("of_a_newer_build": [1], "sealing_keys": [)" + key(1) + "]"));
  const ClusterIdentity before = read();
  const v1::Sealed old = before.sealing.newest().seal("hunter2", binding_, nonce_);
  ASSERT_EQ(old.key(), 1u);
  ASSERT_TRUE(store_sealing_key(path_, 2, std::string(kSealKeyBytes, '2')));
  EXPECT_EQ(*read().sealing.open(old, binding_), "hunter2");
  EXPECT_NE(text().find("of_a_newer_build"), std::string::npos);
}

TEST_F(ClusterFile, AKeyIsStoredInNoFileThatIsMissingOrMalformed) {
  const std::string bytes(kSealKeyBytes, '2');
  EXPECT_EQ(store_sealing_key(path_, 2, bytes).error().code, "cluster-file-missing");
  EXPECT_FALSE(std::filesystem::exists(path_));
  write("{}");
  EXPECT_EQ(store_sealing_key(path_, 2, bytes).error().code, "cluster-file-malformed");
  EXPECT_EQ(text(), "{}");
}

TEST_F(ClusterFile, P29_SealingKeysThatAreNoneAreNamed) {
  write(with(R"("sealing_keys": [{"number": 1}])"));
  const auto read = read_cluster_identity(path_);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, "cluster-file-malformed");
  EXPECT_NE(read.error().message.find("sealing_keys"), std::string::npos) << read.error().message;
}

TEST_F(ClusterFile, IsMadeForAnEmptyLogAndForNoOther) {
  ThreadedMemoryLog log;
  log.append({Stream::kJournal, 0}, "", "a record", nullptr);
  const auto refused = controller::identity_for_log(path_, log);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "cluster-file-missing");
  EXPECT_FALSE(std::filesystem::exists(path_));
  ThreadedMemoryLog empty;
  const auto made = controller::identity_for_log(path_, empty);
  ASSERT_TRUE(made);
  EXPECT_EQ(controller::identity_for_log(path_, log)->cluster, made->cluster);
}

TEST_F(ClusterFile, IsReadWithMoreKeysThanTheLogHas) {
  std::string keys = key(1);
  for (std::uint32_t number = 2; number < 500; ++number) keys += ", " + key(number);
  write(with(R"("sealing_keys": [)" + keys + "]"));
  ASSERT_TRUE(store_sealing_key(path_, 500, std::string(kSealKeyBytes, 'c')));
  EXPECT_EQ(read().sealing.newest().number(), 500u);
}

// ---- the secret of keys that are given out (ADR 0097) ----

TEST_F(ClusterFile, ARotationOfWritersKeepsTheSecretBeforeForThoseWhoHaveKeysOfIt) {
  const auto made = controller::load_or_create_cluster_identity(path_);
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made->writers.empty());
  EXPECT_EQ(controller::finish_writers_rotation(path_).error().code, "no-writers-rotation");
  ASSERT_TRUE(controller::begin_writers_rotation(path_, {{"agent:a1", 2}}).ok());
  const auto during = controller::read_cluster_identity(path_);
  ASSERT_TRUE(during.ok());
  ASSERT_EQ(during->writers.size(), 2u);
  EXPECT_EQ(during->writers[0], (WriterSecret{made->secret, {{"agent:a1", 2}}}));
  EXPECT_NE(during->writers[1].secret, made->secret);
  EXPECT_EQ(controller::begin_writers_rotation(path_, {}).error().code, "writers-rotate-already");
  ASSERT_TRUE(controller::finish_writers_rotation(path_).ok());
  const auto after = controller::read_cluster_identity(path_);
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->writers, std::vector<WriterSecret>{during->writers[1]});
  EXPECT_EQ(after->secret, made->secret) << "servers go on with it";
}

}  // namespace
}  // namespace berth::testing
