#include "agents/kernel/cgroup_layout.h"

#include <gtest/gtest.h>

namespace berth::agents {
namespace {

using Names = std::vector<std::string>;

const std::string kMemory = "30 25 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";
const std::string kCpu = "31 25 0:27 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu\n";
const std::string kPids = "33 25 0:29 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n";
const std::string kUnified = "32 25 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
const std::string kTwo = "32 25 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

TEST(CgroupLayout, KnowsVersionOneHybridAndTwo) {
  const auto hybrid = parse_cgroup_layout(kMemory + kCpu + kUnified);
  ASSERT_TRUE(hybrid.ok());
  EXPECT_FALSE(hybrid->v2);
  EXPECT_EQ(hybrid->oom_file("/g"), "/sys/fs/cgroup/memory/g/memory.oom_control");
  EXPECT_EQ(hybrid->folders("/g").size(), 3u);
  EXPECT_EQ(hybrid->cpu_root, "/sys/fs/cgroup/cpu");
  const auto pure = parse_cgroup_layout(kTwo);
  ASSERT_TRUE(pure.ok());
  EXPECT_TRUE(pure->v2);
  EXPECT_EQ(pure->cpu_root, "/sys/fs/cgroup");
  EXPECT_EQ(pure->oom_file("/g"), "/sys/fs/cgroup/g/memory.events");
  EXPECT_EQ(parse_cgroup_layout("").error().code, "no-cgroups");
}

TEST(CgroupLayout, APathWithASpaceIsReadAsTheKernelEscapesIt) {
  const auto layout = parse_cgroup_layout("32 25 0:28 / /srv/my\\040tree\\134x rw - cgroup2 cgroup2 rw\n");
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->unified, "/srv/my tree\\x");
}

TEST(CgroupLayout, ASecondMountOfATreeIsNoSecondTree) {
  const std::string agents = "90 25 0:28 / /run/cilium/cgroupv2 rw - cgroup2 none rw\n";
  const std::string part = "91 25 0:28 /system.slice /sys/fs/cgroup/part rw - cgroup2 none rw\n";
  for (const std::string& text : {kTwo + agents + part, agents + kTwo + part, part + agents + kTwo}) {
    const auto layout = parse_cgroup_layout(text);
    ASSERT_TRUE(layout.ok());
    EXPECT_EQ(layout->unified, "/sys/fs/cgroup") << text;
    EXPECT_EQ(layout->roots, Names{"/sys/fs/cgroup"}) << text;
  }
  const auto one =
      parse_cgroup_layout("80 25 0:26 / /mnt/memory rw - cgroup cgroup rw,memory\n" + kMemory + kCpu);
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->memory_root, "/sys/fs/cgroup/memory");
  EXPECT_EQ(one->roots.size(), 2u);
}

TEST(CgroupLayout, AMountThatAnotherOneCoversIsNotThere) {
  const auto layout = parse_cgroup_layout(kTwo + "95 32 0:40 / /sys/fs/cgroup ro - tmpfs tmpfs ro\n");
  EXPECT_FALSE(layout.ok());
}

TEST(CgroupLayout, MissingControllersAreNamed) {
  EXPECT_EQ(missing_controllers(*parse_cgroup_layout(kTwo), "cpuset cpu io memory hugetlb pids\n"), Names{});
  EXPECT_EQ(missing_controllers(*parse_cgroup_layout(kTwo), "cpuset cpu io pids\n"), Names{"memory"})
      << "off at boot";
  EXPECT_EQ(missing_controllers(*parse_cgroup_layout(kTwo), ""), (Names{"cpu", "memory", "pids"}))
      << "a container that was given none";
  EXPECT_EQ(missing_controllers(*parse_cgroup_layout(kMemory + kCpu + kPids), ""), Names{});
  EXPECT_EQ(missing_controllers(*parse_cgroup_layout(kMemory + kPids + kUnified), ""), Names{"cpu"});
}

TEST(CgroupLayout, AnEmptyTreeOfVersionTwoIsNotTakenWhereMemoryIsOffInVersionOne) {
  const auto layout = parse_cgroup_layout(kCpu + kPids + kUnified);
  ASSERT_TRUE(layout.ok());
  EXPECT_FALSE(layout->v2);
  EXPECT_EQ(layout->unified, "/sys/fs/cgroup/unified");
  EXPECT_EQ(missing_controllers(*layout, ""), Names{"memory"});
}

}  // namespace
}  // namespace berth::agents
