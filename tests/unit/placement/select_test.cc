// tests/BEHAVIOURS.md 3.1 to 3.3: which agent, row by row.
#include <gtest/gtest.h>

#include "controller/placement/select/score.h"
#include "tests/unit/placement/support.h"

namespace berth::placement::testing {
namespace {

struct AgentRow {
  const char* id;
  Amounts slots;
  Amounts used;
};

struct SelectRow {
  const char* row;
  std::vector<AgentRow> agents;
  Amounts asked;
  std::vector<std::string> priority;
  const char* concentrated;  // null: the row says nothing
  const char* dispersed;
};

Amounts cm(const char* cpu, const char* mem) { return {{"cpu", cpu}, {"mem", mem}}; }
Amounts cmg(const char* cpu, const char* mem, const char* cuda) {
  return {{"cpu", cpu}, {"mem", mem}, {"cuda.shares", cuda}};
}

std::string pick(const SelectRow& row, Select select) {
  TestCluster t;
  t.policy.select = select;
  t.policy.slot_priority = row.priority;
  t.set_policy(t.policy);
  for (const AgentRow& agent : row.agents) t.agent(agent.id, agent.slots, agent.used);
  t.session("s", row.asked);
  const Lines lines = t.pass();
  return lines.empty() ? "nothing" : lines.front();
}

const std::vector<AgentRow> kS1{{"low", cm("8", "16384"), cm("6", "12288")},
                                {"medium", cm("8", "16384"), cm("4", "8192")},
                                {"high", cm("8", "16384"), cm("2", "4096")}};

const std::vector<std::string> kCpuMem{"cpu", "mem"};
const std::vector<SelectRow> kRows{
    {"S1", kS1, cm("1", "2048"), kCpuMem, "low", "high"},
    {"S2",
     {{"gpu", cmg("8", "16384", "4"), cm("4", "8192")}, {"cpu-only", cm("8", "16384"), cm("4", "8192")}},
     cm("2", "4096"),
     kCpuMem,
     "cpu-only",
     "cpu-only"},
    {"S3",
     {{"low-mem-high-cpu", cm("16", "8192"), cm("2", "6144")},
      {"high-mem-low-cpu", cm("8", "16384"), cm("6", "4096")}},
     cm("1", "1024"),
     {"mem", "cpu"},
     "low-mem-high-cpu",
     "high-mem-low-cpu"},
    {"S4",
     {{"b", cm("8", "16384"), cm("4", "8192")},
      {"a", cm("8", "16384"), cm("4", "8192")},
      {"c", cm("8", "16384"), cm("4", "8192")}},
     cm("1", "2048"),
     kCpuMem,
     "a",
     "a"},
    {"S6",
     {{"low-gpu", cmg("16", "32768", "4"), cmg("2", "4096", "3")},
      {"high-gpu", cmg("8", "16384", "4"), cmg("6", "12288", "1")}},
     cmg("1", "2048", "0.5"),
     {"cuda.shares", "cpu", "mem"},
     "low-gpu",
     "high-gpu"},
    {"S7",
     {{"low", cm("8", "16384"), cm("8", "16384")}, kS1[1], kS1[2]},
     cm("1", "2048"),
     kCpuMem,
     "medium",
     nullptr},
    {"S8",
     {{"gpu-agent", cmg("16", "32768", "8"), cmg("8", "16384", "4")},
      {"tpu-agent",
       {{"cpu", "16"}, {"mem", "32768"}, {"tpu", "4"}},
       {{"cpu", "4"}, {"mem", "8192"}, {"tpu", "1"}}},
      {"cpu-agent", cm("32", "65536"), cm("16", "32768")}},
     cm("4", "8192"),
     kCpuMem,
     "cpu-agent",
     "cpu-agent"},
    {"S9",
     {{"a1", cm("8", "16384"), cm("7", "14336")}, {"a2", cm("8", "16384"), cm("1", "2048")}},
     cm("1", "1024"),
     kCpuMem,
     "a1",
     "a2"},
    {"S10",
     {{"first", cm("16", "32768"), cm("14", "28672")},
      {"second", cm("16", "32768"), cm("8", "16384")},
      {"third", cm("16", "32768"), cm("2", "4096")}},
     cm("1", "2048"),
     kCpuMem,
     "first",
     "third"},
    {"S11",
     {{"low", cm("8", "16384"), cm("6", "12288")}, {"high", cm("16", "32768"), cm("4", "8192")}},
     cm("1", "2048"),
     kCpuMem,
     nullptr,
     "high"},
    {"S12",
     {{"gpu-partially-used", cmg("8", "16384", "4"), cmg("0", "0", "2")},
      {"gpu-unused", cmg("8", "16384", "4"), {}}},
     cm("1", "1024"),
     {"cuda", "cpu", "mem"},
     nullptr,
     "gpu-unused"},
    {"S14",
     {{"normal", cm("8", "16384"), {}}, {"huge", cm("2305843009213", "2305843009213693951"), {}}},
     cm("1", "1024"),
     kCpuMem,
     nullptr,
     "huge"},
    {"S15", kS1, cm("1", "2048"), {"nonexistent", "cpu", "mem"}, "low", nullptr},
    {"F5",
     {{"low", cm("4", "8192"), cm("3", "6144")},
      {"medium", cm("8", "16384"), cm("4", "8192")},
      {"high", cm("16", "32768"), cm("2", "4096")}},
     cm("6", "12288"),
     kCpuMem,
     "high",
     "high"},
};

TEST(Select, PicksAsTheRowsOf3_2Say) {
  for (const SelectRow& row : kRows) {
    if (row.concentrated != nullptr) {
      EXPECT_EQ(pick(row, Select::kConcentrated), "s -> " + std::string(row.concentrated)) << row.row;
    }
    if (row.dispersed != nullptr) {
      EXPECT_EQ(pick(row, Select::kDispersed), "s -> " + std::string(row.dispersed)) << row.row;
    }
  }
}

// S17: 100 agents, every third with GPUs; the same eleven, one after another, whoever asks first. (How long
// it takes is the place benchmark's to say.)
TEST(Select, ElevenPicksOfAHundredAgentsAreStableS17) {
  const auto picks = [] {
    TestCluster t;
    for (int i = 0; i < 100; ++i) {
      const std::string id = "a" + std::to_string(100 + i);
      t.agent(id.c_str(), i % 3 == 0 ? cmg("8", "16384", "4") : cm("8", "16384"));
    }
    for (int i = 0; i < 11; ++i) t.session(("s" + std::to_string(10 + i)).c_str(), cm("1", "2048"));
    return t.pass();
  };
  const Lines lines = picks();
  ASSERT_EQ(lines.size(), 11u);
  for (std::size_t i = 0; i < 11; ++i)
    EXPECT_EQ(lines[i], "s" + std::to_string(10 + i) + (i < 8 ? " -> a101" : " -> a102"));
  EXPECT_EQ(lines, picks());
}

// L4: dispersed, default priority; the CPU-only request avoids the GPU agent though the other is smaller.
TEST(Select, ACpuOnlyRequestAvoidsTheGpuAgentL4) {
  TestCluster t;
  t.slot("rocm.devices");
  t.policy.select = Select::kDispersed;
  t.policy.head_of_line = HeadOfLine::kGreedy;
  t.set_policy(t.policy);
  t.agent("i-gpu", cmg("4", "4096", "4"));
  t.agent("i-cpu", cmg("3", "2560", "0"));
  t.session("eps01", {{"cpu", "2"}, {"mem", "1024"}, {"rocm.devices", "1"}});
  t.session("eps02", cmg("1", "2048", "0.5"));
  t.session("eps03", cm("1", "1024"));
  EXPECT_EQ(t.pass(), (Lines{"eps01: no-capacity rocm.devices", "eps02 -> i-gpu", "eps03 -> i-cpu"}));
}

TEST(Select, CountsUnusedCapabilitiesU1U3) {
  TestCluster t;
  t.agent("a", cmg("8", "16384", "4"));
  t.agent("full", cmg("8", "16384", "4"), {{"cuda.shares", "4"}});
  Need need;
  need.sums = t.amounts(cmg("2", "4096", "1"));
  const Model& model = t.cluster.model();
  const auto agent = [&](const char* id) -> const Agent& { return model.agents[*t.cluster.find_agent(id)]; };
  EXPECT_EQ(unused_capabilities(agent("a"), need, model.groups[0].slot_order), 0u);  // U1
  need.sums = t.amounts(cm("2", "4096"));
  EXPECT_EQ(unused_capabilities(agent("a"), need, model.groups[0].slot_order), 1u);
  EXPECT_EQ(unused_capabilities(agent("full"), need, model.groups[0].slot_order), 0u);  // U3
}

TEST(Select, OrdersSlotsByPriorityThenNameU4U6U7) {
  TestCluster t;
  const auto order = [&](std::vector<std::string> priority) {
    t.policy.slot_priority = std::move(priority);
    Lines names;
    for (const SlotId slot : slot_order(t.cluster.model(), t.policy))
      names.emplace_back(t.cluster.slot_name(slot));
    return names;
  };
  EXPECT_EQ(order({"cuda.shares", "cpu", "mem"}), (Lines{"cuda.shares", "cpu", "mem"}));  // U4
  EXPECT_EQ(order({"rocm", "mem"}), (Lines{"mem", "cpu", "cuda.shares"}));
  EXPECT_EQ(order({}), (Lines{"cpu", "cuda.shares", "mem"}));  // U6
  EXPECT_EQ(order({"cuda", "rocm", "tpu", "cpu", "mem"}), (Lines{"cuda.shares", "cpu", "mem"}));
}

}  // namespace
}  // namespace berth::placement::testing
