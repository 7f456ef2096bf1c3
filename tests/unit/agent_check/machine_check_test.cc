// The machine's table: what its lines say, here and of texts that other machines have.
#include "agents/check/machine_check.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "agents/check/lines.h"
#include "agents/kernel/host/programs.h"

namespace berth::agents {
namespace {

TEST(MachineCheck, ReadsTheVersionOfTheMachinesKernel) {
  EXPECT_TRUE(is_at_least("6.1.0-18-amd64", 5, 12));
  EXPECT_TRUE(is_at_least("5.12", 5, 12));
  EXPECT_FALSE(is_at_least("5.10.0", 5, 12));
  EXPECT_FALSE(is_at_least("4.19.0", 5, 12));
  EXPECT_FALSE(is_at_least("", 5, 12));
}

TEST(MachineCheck, NamesUsersWhoHaveIdsOfKernels) {
  const char* const text = "alice:100000:65536\nbob:165536:65536\ndamaged\ncarol:99999:1\ndave:50000:50001\n";
  EXPECT_EQ(overlapping_ranges(text, 100'000, 165'536), "alice has 100000-165535, dave has 50000-100000");
  EXPECT_EQ(overlapping_ranges(text, 300'000, 400'000), "");
  EXPECT_EQ(overlapping_ranges("", 0, 1), "");
}

TEST(MachineCheck, HasALinePerItemAndSaysWhatToDoWhereOneIsNotOk) {
  const auto lines = check_machine(testing::TempDir() + "not/there/yet", "");
  std::vector<std::string> names;
  for (const CheckLine& line : lines) {
    names.push_back(line.name);
    EXPECT_FALSE(line.found.empty()) << line.name;
    EXPECT_EQ(line.advice.empty(), line.level == CheckLevel::kOk) << line.name << ": " << line.advice;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"root", "kernel", "cgroup controllers", "runtime", "image tools",
                                             "overlay", "user namespaces", "id maps", "id ranges",
                                             "loop devices", "project quota", "clock", "room"}));
}

TEST(MachineCheck, LooksForTheRuntimeThatWasAskedFor) {
  const auto line = [](const std::string& runtime) {
    for (const CheckLine& each : check_machine(testing::TempDir(), runtime))
      if (each.name == "runtime") return each;
    return CheckLine{};
  };
  EXPECT_EQ(line("/no/such/runtime").level, CheckLevel::kFails);
  EXPECT_EQ(line("/no/such/runtime").found, "the container runtime '/no/such/runtime' is not installed");
  EXPECT_EQ(line("/etc/passwd").advice, "chmod +x, if it is the right file");
  EXPECT_EQ(line("/bin/true").level, CheckLevel::kOk) << "a path is taken as it is";
}

TEST(MachineCheck, StartsAContainerAndLeavesNothing) {
  if (geteuid() != 0 || std::system("command -v runc >/dev/null") != 0) GTEST_SKIP() << "needs root and runc";
  const std::string folder = testing::TempDir() + "berth-check-test";
  std::filesystem::create_directories(folder);
  const auto programs = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin";
  for (const char* runtime : {"runc", "crun"}) {
    if (find_runtime(runtime).empty()) continue;
    const CheckLine line = check_start(folder + "/data", runtime, programs.string());
    EXPECT_EQ(line.level, CheckLevel::kOk) << runtime << ": " << line.found << "; " << line.advice;
    EXPECT_NE(line.found.find("its limits hold"), std::string::npos) << line.found;
    EXPECT_TRUE(std::filesystem::is_empty(folder));
  }
  std::filesystem::remove_all(folder);
  for (const CheckLine& each : check_machine(folder, "")) RecordProperty(each.name, each.found);
}

}  // namespace
}  // namespace berth::agents
