#include "projections/store/rocks/rocks_store.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

#include "projections/store/rocks/checkpoints.h"
#include "projections/store/rocks/keys.h"
#include "tests/support/rocks/faulty_files.h"
#include "tests/support/store_contract.h"
#include "tests/support/temp_dir.h"

namespace berth::testing {

using projections::RocksStore;
namespace fs = std::filesystem;

struct RocksFactory {
  RocksFactory() { reopen(); }
  projections::Store& store() { return *opened_.store; }
  void reopen() {
    opened_.store.reset();
    auto opened = RocksStore::open(dir_.path());
    EXPECT_TRUE(opened) << to_string(opened.error());
    opened_ = std::move(*opened);
  }
  TempDir dir_;
  RocksStore::Opened opened_;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Rocks, StoreContract, RocksFactory);

namespace {

void fold_into(projections::Store& store, const TestJournal& journal) {
  projections::Projector projector(test_cluster(), store, {}, nullptr);
  ASSERT_TRUE(projector.open());
  const auto entries = journal.entries(projector.next());
  projector.apply(entries, 1);
  ASSERT_TRUE(projector.flush());
}

void damage_tables(const fs::path& db) {
  for (const auto& file : fs::directory_iterator(db)) {
    if (!file.path().filename().string().starts_with("MANIFEST")) continue;
    std::fstream out(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(20);
    out << "damage, damage, damage";
  }
}

// As builds before the first release left it.
void make_of_before(const fs::path& db) {
  rocksdb::DB* raw = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const std::vector<rocksdb::ColumnFamilyDescriptor> families{{rocksdb::kDefaultColumnFamilyName, {}},
                                                              {"resume", {}}};
  ASSERT_TRUE(rocksdb::DB::Open({}, db.string(), families, &handles, &raw).ok());
  const std::unique_ptr<rocksdb::DB> owner(raw);
  ASSERT_TRUE(raw->Delete({}, handles[0], projections::kMetaKey).ok());
  ASSERT_TRUE(raw->Put({}, handles[0], projections::kMetaKeyBefore, "rows of before").ok());
  for (auto* handle : handles) raw->DestroyColumnFamilyHandle(handle);
}

TEST(RocksStore, OneOfBuildsBeforeTheFirstReleaseIsRefusedAndStays) {
  RocksFactory factory;
  fold_into(factory.store(), busy_journal(60));
  factory.opened_.store.reset();
  make_of_before(factory.dir_.path() / "db");
  factory.reopen();
  projections::Projector projector(test_cluster(), factory.store(), {}, nullptr);
  const auto opened = projector.open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, "made-before-0.1.0");
  EXPECT_TRUE(fs::exists(factory.dir_.path() / "db")) << "nothing was moved aside";
}

TEST(RocksStore, RefusesAFolderThatIsInUseAndSaysSo) {
  RocksFactory factory;
  const auto second = RocksStore::open(factory.dir_.path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, "store-locked");
}

TEST(RocksStore, MovesADamagedDatabaseAsideWithAWarningAndStartsEmpty) {
  RocksFactory factory;
  fold_into(factory.store(), busy_journal(20));
  factory.opened_.store.reset();
  damage_tables(factory.dir_.path() / "db");
  factory.reopen();
  ASSERT_EQ(factory.opened_.warnings.size(), 1u);
  EXPECT_EQ(factory.opened_.warnings[0].code, "store-corrupt");
  EXPECT_FALSE(factory.store().read_meta()->has_value());
  EXPECT_TRUE(fs::exists(factory.dir_.path() / "db.damaged-1"));
}

TEST(RocksStore, OneWhoseManifestOrCurrentIsGoneIsMadeAnew) {
  for (const std::string gone : {"MANIFEST", "CURRENT"}) {
    RocksFactory factory;
    fold_into(factory.store(), busy_journal(20));
    factory.opened_.store.reset();
    for (const auto& file : fs::directory_iterator(factory.dir_.path() / "db"))
      if (file.path().filename().string().starts_with(gone)) fs::remove(file.path());
    factory.reopen();
    EXPECT_FALSE(factory.store().read_meta()->has_value()) << gone;
    fold_into(factory.store(), busy_journal(20));
  }
}

TEST(RocksStore, WhatPassesIsToldAndTheNextWriteSucceeds) {
  for (const int error : {EMFILE, EDQUOT, EIO, ESTALE}) {
    const auto disk = FaultyFiles::make();
    RocksFactory factory;
    projections::Projector projector(test_cluster(), factory.store(), {}, nullptr);
    ASSERT_TRUE(projector.open());
    auto journal = busy_journal(20);
    projector.apply(journal.entries(0), 1);
    disk->fail(kAllOps, error);
    const auto failed = projector.flush();
    ASSERT_FALSE(failed) << error;
    EXPECT_TRUE(may_pass(failed.error())) << to_string(failed.error());
    disk->heal();
    EXPECT_TRUE(projector.flush());
    factory.reopen();
    projections::Projector again(test_cluster(), factory.store(), {}, nullptr);
    ASSERT_TRUE(again.open());
    EXPECT_EQ(hash_of(again), folded_hash(journal)) << error;
  }
}

TEST(RocksStore, RefusesWhatANewerRocksDbWroteByNameAndLeavesItWhereItIs) {
  RocksFactory factory;
  fold_into(factory.store(), busy_journal(20));
  factory.opened_.store.reset();
  std::ofstream(factory.dir_.path() / "db/OPTIONS-999999") << "[Version]\n  rocksdb_version=99.10.1\n";
  const auto opened = RocksStore::open(factory.dir_.path());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, "store-newer");
  EXPECT_NE(opened.error().message.find("RocksDB 99.10 wrote the projection"), std::string::npos);
  EXPECT_TRUE(fs::exists(factory.dir_.path() / "db/CURRENT"));
}

TEST(RocksStore, F15_KeepsTheNewestTwoDamagedDatabases) {
  RocksFactory factory;
  fold_into(factory.store(), busy_journal(5));
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(factory.store().reset(UINT64_MAX));
  std::vector<std::string> kept;
  for (const auto& entry : fs::directory_iterator(factory.dir_.path()))
    if (const std::string name = entry.path().filename(); name.starts_with("db.damaged-"))
      kept.push_back(name);
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(kept, (std::vector<std::string>{"db.damaged-3", "db.damaged-4"}));
}

TEST(RocksStore, P18_ADamagedDatabaseIsReplacedByTheNewestCheckpoint) {
  RocksFactory factory;
  const auto journal = busy_journal(20);
  fold_into(factory.store(), journal);
  ASSERT_TRUE(factory.store().checkpoint());
  factory.opened_.store.reset();
  damage_tables(factory.dir_.path() / "db");
  factory.reopen();
  projections::Projector projector(test_cluster(), factory.store(), {}, nullptr);
  ASSERT_TRUE(projector.open());
  EXPECT_EQ(projector.next(), journal.payloads().size());
  EXPECT_EQ(hash_of(projector), folded_hash(journal));
}

// A reset that the disk refuses takes nothing away, and the next one succeeds; nobody reads a closed
// database.
TEST(RocksStore, F15_AResetThatTheDiskRefusesForAWhileCostsNoCheckpoint) {
  const auto disk = FaultyFiles::make();
  RocksFactory factory;
  const auto journal = busy_journal(20);
  fold_into(factory.store(), journal);
  ASSERT_TRUE(factory.store().checkpoint());
  disk->fail(kAllOps, EMFILE);
  const auto refused = factory.store().reset(UINT64_MAX);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(may_pass(refused.error())) << to_string(refused.error());
  EXPECT_FALSE(factory.store().write({}));
  EXPECT_FALSE(factory.store().read_meta());
  EXPECT_FALSE(factory.store().read_rows([](const auto&) { return true; }));
  EXPECT_FALSE(factory.store().checkpoint());
  EXPECT_FALSE(factory.store().prune());
  disk->heal();
  ASSERT_TRUE(factory.store().reset(UINT64_MAX));
  projections::Projector projector(test_cluster(), factory.store(), {}, nullptr);
  ASSERT_TRUE(projector.open());
  EXPECT_EQ(projector.next(), journal.payloads().size());
}

TEST(RocksStore, AListOfCheckpointsThatCannotBeReadIsNoEmptyOne) {
  RocksFactory factory;
  fold_into(factory.store(), busy_journal(20));
  ASSERT_TRUE(factory.store().checkpoint());
  const auto list = [&] { return projections::list_checkpoints(factory.dir_.path() / "checkpoints"); };
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(STDIN_FILENO);  // the lowest that is free
  close(next);
  const rlimit none{static_cast<rlim_t>(next), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto failed = list();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(failed);
  EXPECT_TRUE(may_pass(failed.error())) << to_string(failed.error());
  ASSERT_TRUE(list());
  EXPECT_EQ(list()->size(), 1u);
}

TEST(RocksStore, KeepsTheNewestTwoCheckpoints) {
  RocksFactory factory;
  auto journal = busy_journal(5);
  for (int i = 0; i < 4; ++i) {
    journal.append({session_requested("more" + std::to_string(i))});
    fold_into(factory.store(), journal);
    ASSERT_TRUE(factory.store().checkpoint());
  }
  std::size_t kept = 0;
  for ([[maybe_unused]] const auto& folder : fs::directory_iterator(factory.dir_.path() / "checkpoints"))
    ++kept;
  EXPECT_EQ(kept, 2u);
}

TEST(RocksStore, ACheckpointWithoutItsManifestIsNoCheckpoint) {
  RocksFactory factory;
  fold_into(factory.store(), busy_journal(5));
  ASSERT_TRUE(factory.store().checkpoint());
  for (const auto& folder : fs::directory_iterator(factory.dir_.path() / "checkpoints"))
    fs::remove(folder.path() / "manifest");
  ASSERT_TRUE(factory.store().reset(UINT64_MAX));
  EXPECT_FALSE(factory.store().read_meta()->has_value());
}

TEST(RocksStore, ARestoredCheckpointIsNotChangedByWhatFollows) {
  RocksFactory factory;
  auto journal = busy_journal(10);
  fold_into(factory.store(), journal);
  ASSERT_TRUE(factory.store().checkpoint());
  const auto hash = folded_hash(journal);
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(factory.store().reset(UINT64_MAX));
    projections::Projector projector(test_cluster(), factory.store(), {}, nullptr);
    ASSERT_TRUE(projector.open());
    EXPECT_EQ(hash_of(projector), hash) << "round " << round;
    auto longer = journal;
    longer.append({session_requested("another")});
    fold_into(factory.store(), longer);
  }
}

TEST(RocksStore, AFolderOfAnotherClusterIsRefusedNotRebuilt) {
  RocksFactory factory;
  fold_into(factory.store(), busy_journal(5));
  projections::Projector other(id_of("another cluster"), factory.store(), {}, nullptr);
  const auto opened = other.open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, "other-cluster");
  EXPECT_TRUE(factory.store().read_meta()->has_value());
}

}  // namespace
}  // namespace berth::testing
