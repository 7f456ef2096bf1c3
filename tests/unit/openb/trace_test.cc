#include "bench/openb/trace.h"

#include <gtest/gtest.h>

#include "controller/placement/fragmentation/class_mix.h"

namespace berth::placement::fragmentation {
namespace {

const std::string kNodes = "sn,cpu_milli,memory_mib,gpu,model\n";
const std::string kPods = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n";

std::string nodes_fault(const std::string& text) {
  Models models;
  const auto read = read_nodes("f", text, models);
  return read.ok() ? "" : read.error().message;
}
std::string pods_fault(const std::string& text) {
  Models models;
  const auto read = read_pods("f", text, models);
  return read.ok() ? "" : read.error().message;
}

TEST(Trace, ReadsNodesAndPods) {
  Models models;
  const auto nodes = read_nodes("f", kNodes + "a,64000,1,2,P100\r\nb,32000,1,0,\n", models);
  ASSERT_TRUE(nodes.ok());
  ASSERT_EQ(nodes->size(), 2u);
  EXPECT_EQ((*nodes)[0].free_milli(), 2000);
  EXPECT_EQ((*nodes)[1].gpus, 0);
  const auto pods = read_pods("f", kPods + "p,1000,1,1,500,T4|P100\nq,1000,1,0,0,\n", models);
  ASSERT_TRUE(pods.ok());
  EXPECT_TRUE((*pods)[0].fraction());
  EXPECT_TRUE(fits((*nodes)[0], (*pods)[0]));
  EXPECT_EQ((*pods)[1].models, 0u);
}

TEST(Trace, MemoryLimitsWhatFitsAndIsNoPartOfTheMix) {
  Models models;
  const auto nodes = read_nodes("f", kNodes + "a,8000,1024,1,T4\n", models);
  const auto pods = read_pods("f", kPods + "p,1000,1024,1,500,\nq,1000,1025,1,500,\n", models);
  ASSERT_TRUE(nodes.ok() && pods.ok());
  Node node = nodes->front();
  EXPECT_TRUE(fits(node, (*pods)[0]));
  EXPECT_FALSE(fits(node, (*pods)[1]));
  take(node, (*pods)[0], 0);
  EXPECT_FALSE(fits(node, (*pods)[0]));
  EXPECT_EQ(mix_of(*pods).classes.size(), 1u);
}

TEST(Trace, ReadsPodsOfFiveColumns) {
  Models models;
  EXPECT_TRUE(read_pods("f", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,1,1,500\n", models).ok());
}

TEST(Trace, NamesTheLineAndTheColumnOfWhatIsWrong) {
  EXPECT_EQ(nodes_fault(""), "f: line 1, column 1 (sn): the file is empty");
  EXPECT_EQ(nodes_fault("sn,cpu\n"), "f: line 1, column 2 (cpu_milli): the header must say cpu_milli");
  EXPECT_EQ(nodes_fault(kNodes + "a,x,1,1,T4\n"),
            "f: line 2, column 2 (cpu_milli): \"x\" is not a whole number from 0 to 100000000");
  EXPECT_EQ(nodes_fault(kNodes + "a,1,1\n"), "f: line 2, column 4 (gpu): is missing");
  EXPECT_EQ(nodes_fault(kNodes + "a,1,1,1,\n"),
            "f: line 2, column 5 (model): a node with GPUs needs their model");
  EXPECT_EQ(nodes_fault(kNodes + "a,1,1,17,T4\n"),
            "f: line 2, column 4 (gpu): \"17\" is not a whole number from 0 to 16");
  EXPECT_EQ(pods_fault(kPods + "p,1,1,1,500,\n\nq,1,1,1,0,\n"),
            "f: line 4, column 5 (gpu_milli): \"0\" is not a whole number from 1 to 1000");
  EXPECT_EQ(pods_fault(kPods + "p,1,1,2,500,\n"),
            "f: line 2, column 5 (gpu_milli): \"500\" is not a whole number from 1000 to 1000");
  EXPECT_EQ(pods_fault(kPods + "p,1,1,1,500,T4||P100\n"), "f: line 2, column 6: names an empty model");
  EXPECT_EQ(pods_fault(kPods), "f: line 1, column 1 (name): there are no pods");
}

}  // namespace
}  // namespace berth::placement::fragmentation
