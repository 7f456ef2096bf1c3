// tests/BEHAVIOURS.md 10.1 to 10.3, row by row: each case is a list of devices, a policy, and steps with what
// they must give.
#include <gtest/gtest.h>

#include <algorithm>

#include "controller/placement/devices/devices.h"

namespace berth::placement {
namespace {

struct Step {
  const char* asked;     // "free" gives everything back
  const char* expected;  // shares by device ("a0=0.5 a1=1"), "insufficient", "no-device", "invalid"
};

struct DeviceCase {
  const char* row;
  std::vector<const char*> devices;  // capacities
  Spread spread;
  const char* quantum;
  bool allow_fragments;
  std::vector<Step> steps;
  std::vector<const char*> used = {};
  const char* min_unit = "0";
  SlotKind kind = SlotKind::kCount;
};

Amount amount(const char* text) { return parse_amount(SlotKind::kCount, text).value(); }

class Table {
 public:
  explicit Table(const DeviceCase& row) : row_(row) {
    for (std::size_t i = 0; i < row.devices.size(); ++i) {
      const Amount capacity = amount(row.devices[i]);
      devices_.push_back({capacity, capacity - (row.used.empty() ? 0 : amount(row.used[i]))});
    }
  }

  std::string take(const char* text) {
    if (std::string(text) == "free") return give_everything_back();
    MapPolicy policy{row_.kind, row_.spread, amount(row_.quantum), row_.allow_fragments,
                     amount(row_.min_unit)};
    const std::vector<DeviceFree> before = devices_;
    std::vector<MapShare> shares;
    const MapEnd end = mapper_.map(policy, before, amount(text), &shares);
    if (end == MapEnd::kInsufficient) return "insufficient";
    if (end == MapEnd::kFragmented) return "no-device";
    if (end == MapEnd::kInvalid) return "invalid";
    std::string line;
    for (const MapShare& share : shares) {
      devices_[share.device].free -= share.amount;
      EXPECT_GE(devices_[share.device].free, 0);
      line += (line.empty() ? "a" : " a") + std::to_string(share.device) + "=" +
              format_amount(SlotKind::kCount, share.amount);
    }
    return line;
  }

 private:
  std::string give_everything_back() {
    for (DeviceFree& device : devices_) device.free = device.capacity;
    return "";
  }

  const DeviceCase& row_;
  std::vector<DeviceFree> devices_;
  DeviceMapper mapper_;
};

void run(const std::vector<DeviceCase>& rows) {
  for (const DeviceCase& row : rows) {
    Table table(row);
    for (const Step& step : row.steps) {
      EXPECT_EQ(table.take(step.asked), step.expected) << row.row << ", asked " << step.asked;
    }
  }
}

constexpr Spread kEven = Spread::kEven;
constexpr Spread kFill = Spread::kFill;

TEST(DeviceMap, GivesWholeUnitsAsTheRowsOf10_1Say) {
  run({
      {"D1 even",
       {"1", "1"},
       kEven,
       "1",
       true,
       {{"1", "a0=1"}, {"3", "insufficient"}, {"1", "a1=1"}, {"free", ""}, {"2", "a0=1 a1=1"}}},
      {"D1 fill", {"1", "1"}, kFill, "1", true, {{"1", "a0=1"}, {"3", "insufficient"}, {"1", "a1=1"}}},
      {"D2", {"100", "100"}, kFill, "1", true, {{"130", "a0=100 a1=30"}, {"71", "insufficient"}}},
      {"D4", {"10", "10", "10"}, kEven, "1", true, {{"7", "a0=3 a1=2 a2=2"}, {"23", "a0=7 a1=8 a2=8"}}},
      {"D5",
       {"2", "2", "2", "2"},
       kEven,
       "1",
       true,
       {{"4", "a0=1 a1=1 a2=1 a3=1"}, {"2", "a0=1 a1=1"}, {"3", "insufficient"}, {"2", "a2=1 a3=1"}}},
      {"8 cores of 1, even",
       {"1", "1", "1", "1", "1", "1", "1", "1"},
       kEven,
       "1",
       true,
       {{"3", "a0=1 a1=1 a2=1"}, {"4", "a3=1 a4=1 a5=1 a6=1"}, {"2", "insufficient"}}},
      {"8 cores of 1, fill",
       {"1", "1", "1", "1", "1", "1", "1", "1"},
       kFill,
       "1",
       true,
       {{"3", "a0=1 a1=1 a2=1"}, {"4", "a3=1 a4=1 a5=1 a6=1"}, {"2", "insufficient"}}},
      {"4,4 even",
       {"4", "4"},
       kEven,
       "1",
       true,
       {{"3", "a0=2 a1=1"}, {"3", "a0=1 a1=2"}, {"2", "a0=1 a1=1"}, {"1", "insufficient"}}},
      {"4,4 fill",
       {"4", "4"},
       kFill,
       "1",
       true,
       {{"3", "a0=3"}, {"3", "a1=3"}, {"2", "a0=1 a1=1"}, {"1", "insufficient"}}},
      {"8,2 even", {"8", "2"}, kEven, "1", true, {{"6", "a0=4 a1=2"}}},
      {"8,2 fill", {"8", "2"}, kFill, "1", true, {{"6", "a0=6"}}},
  });
}

TEST(DeviceMap, AUniqueSlotIsGivenOnceADevice) {
  run({{"D7",
        {"1", "1"},
        kEven,
        "1",
        false,
        {{"1.1", "invalid"}, {"2", "invalid"}, {"1", "a0=1"}, {"1", "a1=1"}, {"1", "insufficient"}},
        {},
        "0",
        SlotKind::kUnique},
       {"FR16 mig",
        {"1"},
        kEven,
        "1",
        false,
        {{"0.3", "invalid"}, {"1.5", "invalid"}},
        {},
        "0",
        SlotKind::kUnique}});
}

TEST(DeviceMap, GivesFractionsAsTheRowsOf10_2Say) {
  const std::vector<const char*> eight(8, "1");
  run({
      {"FR1",
       {"1", "1"},
       kFill,
       "0.01",
       true,
       {{"1.5", "a0=1 a1=0.5"}, {"1.5", "insufficient"}, {"free", ""}, {"2", "a0=1 a1=1"}}},
      {"FR2",
       eight,
       kFill,
       "0.01",
       true,
       {{"7.95", "a0=1 a1=1 a2=1 a3=1 a4=1 a5=1 a6=1 a7=0.95"}, {"1", "insufficient"}}},
      {"FR5", {"0.05", "0.1", "0.2", "0.3", "0"}, kEven, "0.01", true, {{"0.66", "insufficient"}}},
      {"FR5 min unit",
       {"0.05", "0.1", "0.2", "0.3", "0"},
       kEven,
       "0.01",
       true,
       {{"0.06", "insufficient"}},
       {},
       "0.6"},
      {"FR8", {"0.3", "0.3", "0.9"}, kEven, "0.01", true, {{"1", "a0=0.3 a1=0.3 a2=0.4"}}},
      {"FR9",
       {"0.8", "0.75", "0.7", "0.3", "0"},
       kEven,
       "0.01",
       true,
       {{"2.31", "a0=0.67 a1=0.67 a2=0.67 a3=0.3"}, {"free", ""}, {"2", "a0=0.67 a1=0.67 a2=0.66"}}},
      {"FR10", {"2", "3", "3", "5"}, kEven, "0.01", true, {{"6", "a1=3 a2=3"}}},
      {"FR12", eight, kEven, "0.01", true, {{"6", "a2=1 a3=1 a4=1 a5=1 a6=1 a7=1"}}},
      {"FR13 even",
       {"1", "1"},
       kEven,
       "0.25",
       true,
       {{"0.5", "a1=0.5"}, {"free", ""}, {"1.5", "a0=0.75 a1=0.75"}, {"0.24", "invalid"}}},
      {"FR13 fill", {"1", "1"}, kFill, "0.25", true, {{"1.5", "a0=1 a1=0.5"}}},
      {"FR15", {"1", "1"}, kFill, "0.25", true, {{"1.75", "a0=1 a1=0.75"}}},
      {"FR15 rounding", {"1", "1"}, kFill, "0.3", true, {{"0.5", "a0=0.3"}}},
      {"FR16 shares", {"1", "1"}, kEven, "0.1", true, {{"2.5", "insufficient"}}},
  });
}

TEST(DeviceMap, ThousandSmallestSharesLeaveNothingBehindFR3) {
  std::vector<DeviceFree> devices{{amount("1"), amount("1")}, {amount("1"), amount("1")}};
  DeviceMapper mapper;
  std::vector<MapShare> shares;
  std::vector<MapShare> all;
  const MapPolicy policy{SlotKind::kCount, kFill, 10, true, 0};
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(mapper.map(policy, devices, 10, &shares), MapEnd::kDone);
    devices[shares[0].device].free -= shares[0].amount;
    all.push_back(shares[0]);
  }
  EXPECT_EQ(devices[0].capacity - devices[0].free, amount("0.005"));
  EXPECT_EQ(devices[1].capacity - devices[1].free, amount("0.005"));
  for (const MapShare& share : all) devices[share.device].free += share.amount;
  EXPECT_EQ(devices[0].free, amount("1"));
  EXPECT_EQ(devices[1].free, amount("1"));
}

TEST(DeviceMap, TheSmallestDeviceThatSufficesComesFirstFR6) {
  std::vector<DeviceFree> devices;
  for (const char* capacity : {"0.05", "0.1", "0.2", "0.3", "0"})
    devices.push_back({amount(capacity), amount(capacity)});
  DeviceMapper mapper;
  std::vector<MapShare> shares;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(mapper.map({SlotKind::kCount, kEven, 10'000, true, 0}, devices, 10'000, &shares),
              MapEnd::kDone);
    devices[shares[0].device].free -= shares[0].amount;
  }
  EXPECT_EQ(devices[0].free, 0);
  EXPECT_EQ(devices[1].free, 0);
  EXPECT_EQ(devices[2].free, amount("0.15"));
}

TEST(DeviceMap, CapsOfThreeTwoAndOneTenth) {
  for (const auto& [asked, expected] :
       std::vector<std::pair<const char*, const char*>>{{"0.1", "a2=0.1"},
                                                        {"0.15", "a1=0.15"},
                                                        {"0.2", "a1=0.2"},
                                                        {"0.3", "a0=0.3"},
                                                        {"0.4", "a0=0.2 a1=0.2"},
                                                        {"0.5", "a0=0.3 a1=0.2"},
                                                        {"0.6", "a0=0.3 a1=0.2 a2=0.1"},
                                                        {"0.7", "insufficient"}}) {
    run({{"caps .3 .2 .1 even", {"0.3", "0.2", "0.1"}, kEven, "0.01", true, {{asked, expected}}}});
  }
  run({{"caps .3 .2 .1 fill", {"0.3", "0.2", "0.1"}, kFill, "0.01", true, {{"0.4", "a0=0.3 a1=0.1"}}}});
}

TEST(DeviceMap, SequencesOnTwoDevices) {
  run({
      {"0.5 x4 even",
       {"1", "1"},
       kEven,
       "0.1",
       true,
       {{"0.5", "a1=0.5"}, {"0.5", "a1=0.5"}, {"0.5", "a0=0.5"}, {"0.5", "a0=0.5"}}},
      {"0.5 x4 fill",
       {"1", "1"},
       kFill,
       "0.1",
       true,
       {{"0.5", "a0=0.5"}, {"0.5", "a1=0.5"}, {"0.5", "a0=0.5"}, {"0.5", "a1=0.5"}}},
      {"1 GPU = 2 fGPU", {"2"}, kEven, "0.1", false, {{"1", "a0=1"}, {"1", "a0=1"}, {"1", "insufficient"}}},
      {"1 GPU = 2 fGPU, halves",
       {"2"},
       kEven,
       "0.1",
       false,
       {{"0.5", "a0=0.5"}, {"0.5", "a0=0.5"}, {"0.5", "a0=0.5"}, {"0.5", "a0=0.5"}, {"0.5", "insufficient"}}},
      {"10.4, first two lines", {"1", "1"}, kEven, "0.1", false, {{"0.8", "a1=0.8"}, {"0.8", "a0=0.8"}}},
  });
}

// 10.3: n = ceil(request / capacity) devices of 8 x 1.0, q .1, and the smallest share.
TEST(DeviceMap, TheGuardUsesTheFewestDevicesWithEqualShares) {
  struct Row {
    const char* asked;
    std::size_t devices;
    const char* share;
  };
  const std::vector<Row> rows{{"0.1", 1, "0.1"}, {"0.5", 1, "0.5"}, {"1", 1, "1"},     {"1.1", 2, "0.5"},
                              {"1.2", 2, "0.6"}, {"1.3", 2, "0.6"}, {"1.4", 2, "0.7"}, {"1.5", 2, "0.7"},
                              {"1.6", 2, "0.8"}, {"1.7", 2, "0.8"}, {"1.8", 2, "0.9"}, {"1.9", 2, "0.9"},
                              {"2", 2, "1"},     {"2.1", 3, "0.7"}, {"2.5", 3, "0.8"}, {"3.1", 4, "0.7"},
                              {"4.1", 5, "0.8"}, {"5.1", 6, "0.8"}, {"6.1", 7, "0.8"}, {"7.1", 8, "0.8"},
                              {"8", 8, "1"}};
  for (const Spread spread : {kEven, kFill}) {
    for (const Row& row : rows) {
      const std::vector<DeviceFree> devices(8, {kUnit, kUnit});
      DeviceMapper mapper;
      std::vector<MapShare> shares;
      ASSERT_EQ(
          mapper.map({SlotKind::kCount, spread, 100'000, false, 0}, devices, amount(row.asked), &shares),
          MapEnd::kDone);
      Amount sum = 0;
      Amount least = kUnit;
      Amount most = 0;
      for (const MapShare& share : shares) {
        sum += share.amount;
        least = std::min(least, share.amount);
        most = std::max(most, share.amount);
        EXPECT_EQ(share.amount % 100'000, 0) << row.asked;
      }
      EXPECT_EQ(shares.size(), row.devices) << row.asked;
      EXPECT_EQ(least, amount(row.share)) << row.asked;
      EXPECT_LE(most - least, 100'000) << row.asked;
      EXPECT_EQ(sum, amount(row.asked));
    }
  }
}

TEST(DeviceMap, TheGuardRefusesCrumbs) {
  const auto ends = [](std::vector<const char*> free, const char* asked, bool allow = false) {
    std::vector<DeviceFree> devices;
    for (const char* one : free) devices.push_back({kUnit, amount(one)});
    DeviceMapper mapper;
    std::vector<MapShare> shares;
    return mapper.map({SlotKind::kCount, kEven, 100'000, allow, 0}, devices, amount(asked), &shares);
  };
  EXPECT_EQ(ends({"0.5", "1", "1", "1"}, "1.4"), MapEnd::kDone);
  EXPECT_EQ(ends({"0.7", "0.7", "1", "1"}, "2.0"), MapEnd::kDone);
  EXPECT_EQ(ends({"0.9", "1"}, "1.4"), MapEnd::kDone);
  EXPECT_EQ(ends({"0.5", "0.5", "1", "1"}, "2.8"), MapEnd::kFragmented);
  EXPECT_EQ(ends({"0.8", "0.8", "0.8", "0.8"}, "3.6"), MapEnd::kInsufficient);
  EXPECT_EQ(ends({"0.7", "0.8"}, "1.4"), MapEnd::kDone);
  EXPECT_EQ(ends({"0.7", "0.8"}, "1.5"), MapEnd::kDone);
  EXPECT_EQ(ends({"0.4", "0.8", "1"}, "1.6"), MapEnd::kDone);
  EXPECT_EQ(ends({"0.5", "0.5", "0.5", "0.5"}, "1.5"), MapEnd::kDone);
  EXPECT_EQ(ends({"0.3", "0.3", "0.3", "0.3", "0.3", "0.3", "0.3", "0.3"}, "1.8"), MapEnd::kDone);
  EXPECT_EQ(ends({"0.2", "0.2", "0.2", "0.2"}, "1.4"), MapEnd::kInsufficient);
  EXPECT_EQ(ends({"1", "1"}, "3.0"), MapEnd::kInsufficient);
  EXPECT_EQ(ends({"1"}, "0.7"), MapEnd::kDone);
  EXPECT_EQ(ends({"1"}, "1.1"), MapEnd::kInsufficient);
  EXPECT_EQ(ends({"1", "1", "1", "1"}, "4.0"), MapEnd::kDone);
  EXPECT_EQ(ends({"1"}, "0"), MapEnd::kInvalid);
  EXPECT_EQ(ends({"0.2", "0.2"}, "0.4"), MapEnd::kFragmented);
  EXPECT_EQ(ends({"0.2", "0.2"}, "0.4", true), MapEnd::kDone);
}

TEST(DeviceMap, RandomTakingAndGivingBackEndsAtZeroFR4) {
  std::uint64_t state = 42;
  for (int round = 0; round < 5; ++round) {
    std::vector<DeviceFree> devices(2, {kUnit, kUnit});
    DeviceMapper mapper;
    std::vector<MapShare> all;
    for (int i = 0; i < 10; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      const Amount asked = static_cast<Amount>((state >> 33) % 10 + 1) * 10'000;
      std::vector<MapShare> shares;
      ASSERT_EQ(mapper.map({SlotKind::kCount, kEven, 10'000, true, 0}, devices, asked, &shares),
                MapEnd::kDone);
      for (const MapShare& share : shares) {
        devices[share.device].free -= share.amount;
        all.push_back(share);
      }
    }
    for (const MapShare& share : all) devices[share.device].free += share.amount;
    for (const DeviceFree& device : devices) EXPECT_EQ(device.free, kUnit);
  }
}

}  // namespace
}  // namespace berth::placement
