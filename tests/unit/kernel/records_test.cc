#include "agents/kernel/shim/records.h"

#include <gtest/gtest.h>

namespace berth::agents::shim {
namespace {

TEST(ShimRecords, ASpecComesBackAsItWasWritten) {
  ShimSpec spec;
  spec.oci = true;
  spec.args = {"sh", "-c", "echo a\\b\necho c=d"};
  spec.env = {"A=1", "B=", "C=x=y\n"};
  spec.init = "/bin/init";
  spec.lease_until = 12345;
  spec.lease_generation = 7;
  spec.cgroups = {"/a", "/b"};
  spec.oom_file = "/oom";
  spec.cpu_cgroup = "/cpu/k";
  spec.egress = true;
  spec.uid = 101000;
  spec.id_base = 100000;
  spec.id_count = 65536;
  spec.image_base = 7;
  spec.folders = {{"/a volume", std::string(32, 'a'), "data", true, false},
                  {"/v", "b", "code", false, true},
                  {"/v", "c", ".automatic", false, false, true}};
  const auto again = decode_spec(encode(spec));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->args, spec.args);
  EXPECT_EQ(again->env, spec.env);
  EXPECT_EQ(again->lease_until, 12345);
  EXPECT_EQ(again->lease_generation, 7u);
  EXPECT_EQ(again->cgroups, spec.cgroups);
  EXPECT_EQ(again->cpu_cgroup, spec.cpu_cgroup);
  EXPECT_TRUE(again->oci);
  EXPECT_TRUE(again->egress);
  EXPECT_EQ(again->uid, 101000u);
  EXPECT_EQ(again->id_base, 100000u);
  EXPECT_EQ(again->id_count, 65536u);
  EXPECT_EQ(again->image_base, 7u);
  EXPECT_EQ(again->folders, spec.folders);
  EXPECT_FALSE(decode_spec(encode(ShimSpec()))->egress);
}

TEST(ShimRecords, WhatAKernelHoldsComesBackAndAnOlderOneHoldsNoDisk) {
  ShimSpec spec;
  spec.oci = true;
  spec.disk = "/data/disks/k.img";
  spec.holding = HoldingRecord{"demo", 500'000, 1ll << 30, {{"gpu0", "cuda.shares", 1}}, 20ll << 30};
  auto again = decode_spec(encode(spec));
  ASSERT_TRUE(again && again->holding);
  EXPECT_EQ(again->holding->mem, 1ll << 30);
  EXPECT_EQ(again->holding->disk, 20ll << 30);
  EXPECT_EQ(again->disk, spec.disk);
  spec.holding->disk = 0;
  EXPECT_EQ(encode(spec).find("holds_disk"), std::string::npos);
  EXPECT_EQ(decode_spec(encode(spec))->holding->disk, 0);
}

TEST(ShimRecords, ASpecOfAnOlderAgentHasNoFoldersAndADamagedOneIsNone) {
  ShimSpec spec;
  spec.oci = true;
  std::string text = encode(spec);
  EXPECT_TRUE(decode_spec(text)->folders.empty());
  EXPECT_EQ(decode_spec(text)->image_base, 0u);
  spec.folders = {{"/v", "f", "data", false, false}};
  text = encode(spec);
  for (const char* wrong : {"rx own f data /v", "rw any f data /v", "rw own f data", "rw", ""}) {
    std::string damaged = text;
    const std::string good = "rw own f data /v";
    damaged.replace(damaged.find(good), good.size(), wrong);
    EXPECT_FALSE(decode_spec(damaged).has_value()) << wrong;
  }
}

TEST(ShimRecords, ARecordThatWasCutShortIsNoRecord) {
  const std::string whole = encode(StateRecord{
      .running = true, .main = {5, 6}, .runtime = {}, .shim = {7, 8}, .started_at = 9, .boot = "b"});
  ASSERT_TRUE(decode_state(whole).has_value());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(decode_state(whole.substr(0, size)).has_value()) << size;
}

TEST(ShimRecords, AStateNamesWhatStaysAndSaysNothingOfItElse) {
  StateRecord state{
      .running = true, .main = {5, 6}, .runtime = {}, .shim = {7, 8}, .started_at = 9, .boot = "b"};
  EXPECT_EQ(encode(state).find("stays"), std::string::npos) << "an older agent reads it";
  state.stays = "cat (process 5, in nfs_wait)";
  EXPECT_EQ(decode_state(encode(state))->stays, state.stays);
}

TEST(ShimRecords, ADraftIsARecordOnceItsNumbersAreSet) {
  StateDraft draft(
      {.running = false, .main = {}, .runtime = {}, .shim = {7, 8}, .started_at = 0, .boot = "b"});
  const std::size_t size = draft.bytes().size();
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{42}, std::int64_t{1'800'000'000'000'000'000}}) {
    draft.set({number + 1, static_cast<std::uint64_t>(number) + 2}, number);
    const auto record = decode_state(draft.bytes());
    ASSERT_TRUE(record.has_value()) << draft.bytes();
    EXPECT_TRUE(record->running);
    EXPECT_EQ(record->started_at, number);
    EXPECT_EQ(record->main.pid, number + 1);
    EXPECT_EQ(record->main.start, static_cast<std::uint64_t>(number) + 2);
    EXPECT_EQ(record->shim.pid, 7);
    EXPECT_EQ(record->boot, "b");
    EXPECT_EQ(draft.bytes().size(), size);
  }
}

TEST(ShimRecords, ARecordOfAnotherVersionIsNoRecord) {
  std::string other = encode(ExitRecord{});
  other[2] = '2';
  EXPECT_FALSE(decode_exit(other).has_value());
}

TEST(ShimRecords, ALineOfTheEndsChecksOrIsDropped) {
  ExitRecord record;
  record.end = "signalled";
  record.code = 137;
  record.started_at = 1;
  record.ended_at = 2;
  std::string line = encode_end("k.1", record);
  line.pop_back();
  std::string key;
  ExitRecord again;
  ASSERT_TRUE(decode_end(line, key, again));
  EXPECT_EQ(key, "k.1");
  EXPECT_EQ(again.end, "signalled");
  EXPECT_EQ(again.code, 137);
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::string damaged = line;
    damaged[i] ^= 1;
    EXPECT_FALSE(decode_end(damaged, key, again)) << damaged;
  }
}

}  // namespace
}  // namespace berth::agents::shim
