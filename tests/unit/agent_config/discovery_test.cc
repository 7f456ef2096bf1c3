// What a machine has and what of it is offered.
#include <gtest/gtest.h>

#include "agents/discovery/accelerators.h"
#include "agents/discovery/machine.h"

namespace berth::agents {
namespace {

TEST(Discovery, AMachineHasCoresMemoryAndAnArchitecture) {
  const auto machine = discover_machine();
  ASSERT_TRUE(machine.ok());
  EXPECT_GE(machine->cpu, kUnit / 10);
  EXPECT_GE(machine->mem, 64ll << 20);
  EXPECT_FALSE(machine->architecture.empty());
}

TEST(Discovery, TheReserveStaysWithTheMachine) {
  Machine machine;
  machine.cpu = 4 * kUnit;
  machine.mem = 8ll << 30;
  const auto usable = without_reserve(machine, Reserve{kUnit, 1ll << 30});
  ASSERT_TRUE(usable.ok());
  EXPECT_EQ(usable->cpu, 3 * kUnit);
  EXPECT_EQ(usable->mem, 7ll << 30);
}

TEST(Discovery, TheReserveIsASixteenthOfTheMemoryAndNoCoreUnlessSaid) {
  EXPECT_EQ(Reserve{}.cpu, 0);
  EXPECT_EQ(default_mem_reserve(4ll << 30), 512ll << 20);
  EXPECT_EQ(default_mem_reserve(32ll << 30), 2ll << 30);
  EXPECT_EQ(default_mem_reserve(1ll << 40), 8ll << 30);
}

TEST(Discovery, HugePagesAndTheLeastCacheOfZfsAreNoMemoryForKernels) {
  const Memory memory = read_memory(
      "MemTotal:       16384000 kB\nMemAvailable:    8192000 kB\nHugePages_Total:    1024\n"
      "Hugepagesize:       2048 kB\nHugetlb:         2097152 kB\n",
      "13 1 0x01 147 39984 1 2\nname   type data\nc      4    9000000000\nc_min  4    512000000\n"
      "c_max  4    8000000000\n");
  EXPECT_EQ(memory.total, 16'384'000ll << 10);
  EXPECT_EQ(memory.huge_pages, 2ll << 30);
  EXPECT_EQ(memory.arc_min, 512'000'000);
  EXPECT_EQ(memory.used, 8'192'000ll << 10);
  EXPECT_EQ(read_memory("", "").total, 0);
}

TEST(Discovery, WhatIsNotOfferedIsSaidWithItsReason) {
  Machine machine;
  machine.memory = {.total = 16ll << 30, .huge_pages = 2ll << 30, .arc_min = 0, .used = 0};
  machine.mem = 14ll << 30;
  machine.cpu = kUnit;
  const auto usable = without_reserve(machine, Reserve{0, 2ll << 30});
  EXPECT_EQ(describe_memory(machine, *usable),
            "offers 12g of 16g of memory: 2g stay with the machine (--reserve-mem changes that), 2g are huge "
            "pages");
}

TEST(Discovery, AReserveThatLeavesNothingIsRefused) {
  Machine machine;
  machine.cpu = kUnit;
  machine.mem = 512ll << 20;
  const auto usable = without_reserve(machine, Reserve{});
  ASSERT_FALSE(usable.ok());
  EXPECT_EQ(usable.error().code, "reserve-too-large");
}

Amount shares_of(const char* text, SharesPolicy policy = {}) {
  const auto accelerators = parse_accelerators(text);
  if (!accelerators) return -1;
  const auto devices = announce_devices(*accelerators, policy);
  if (!devices || devices->empty()) return -1;
  EXPECT_EQ(devices->front().slots(0).slot(), "cuda.shares");
  return devices->front().slots(0).amount();
}

TEST(Accelerators, OneMockGpuCutIntoTwoHasTwoShares) {
  EXPECT_EQ(shares_of("mock:1x2"), 2 * kUnit);
  EXPECT_EQ(parse_accelerators("mock:1x2")->size(), 1u);
  EXPECT_EQ(parse_accelerators("mock:1x2")->front().id, "gpu0");
}

TEST(Accelerators, WithoutACutADeviceHasOneShare) {
  EXPECT_EQ(shares_of("mock:3"), kUnit);
  EXPECT_EQ(parse_accelerators("mock:3")->size(), 3u);
  EXPECT_EQ(parse_accelerators("mock:3")->back().id, "gpu2");
}

TEST(Accelerators, OptionsDescribeTheDevice) {
  const auto devices = parse_accelerators("mock:2x5,mem=8g,sm=80");
  ASSERT_TRUE(devices.ok());
  EXPECT_EQ(devices->at(1).mem, 8ll << 30);
  EXPECT_EQ(devices->at(1).sm, 80u);
  EXPECT_EQ(devices->at(1).shares, 5u);
}

TEST(Accelerators, NoneAreNone) {
  EXPECT_TRUE(parse_accelerators("")->empty());
  EXPECT_TRUE(parse_accelerators("none")->empty());
}

TEST(Accelerators, TheAdministratorCutsThemByDefaultByModelOrByUuid) {
  SharesPolicy policy;
  policy.shares_per_device = 2;
  EXPECT_EQ(shares_of("mock:1", policy), 2 * kUnit);
  policy.by_device["mock-gpu"] = 3;
  EXPECT_EQ(shares_of("mock:1", policy), 3 * kUnit);
  policy.by_device["mock-0"] = 4;
  EXPECT_EQ(shares_of("mock:1", policy), 4 * kUnit);
}

TEST(Accelerators, NonsenseIsRefusedWithTheForm) {
  for (const char* text : {"mock:",
                           "mock:x2",
                           "mock:0x2",
                           "mock:1x0",
                           "mock:1x",
                           "mock:1.5x2",
                           "mock:-1x2",
                           "mock:65x1",
                           "mock:1x1001",
                           "mock:1x2,",
                           "mock:1x2,mem",
                           "mock:1x2,mem=0",
                           "mock:1x2,mem=lots",
                           "mock:1x2,sm=0",
                           "mock:1x2,color=red",
                           "mock:1x2x3",
                           "mock:99999999999999999999x1",
                           "cuda:1",
                           "gpu",
                           "mock 1x2",
                           "mock:1x2 "}) {
    const auto devices = parse_accelerators(text);
    ASSERT_FALSE(devices.ok()) << text;
    EXPECT_EQ(devices.error().code, "invalid-accelerator") << text;
    EXPECT_NE(devices.error().hint.find("mock:GPUSxSHARES"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace berth::agents
