// Every NAME.json here (or NAME.passesN.json) is a situation; NAME.expected has what the scheduler must
// print, or the error. The names begin with the row of tests/BEHAVIOURS.md that they show. BERTH_UPDATE=1
// writes the expected files anew: read the diff.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "controller/scenario/scenario.h"

namespace berth::placement {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

int passes_of(const std::string& stem) {
  const auto at = stem.find(".passes");
  return at == std::string::npos ? 1 : std::atoi(stem.c_str() + at + 7);
}

std::vector<fs::path> cases() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator("tests/scenario")) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string outcome(const fs::path& path) {
  const auto result = run_scenario(read_file(path), passes_of(path.stem().string()));
  return result.ok() ? *result : to_string(result.error()) + "\n";
}

TEST(Scenario, EveryFileGivesWhatIsExpectedOfIt) {
  const std::vector<fs::path> all = cases();
  EXPECT_GT(all.size(), 50u);
  for (const fs::path& path : all) {
    fs::path expected = path;
    expected.replace_extension(".expected");
    if (std::getenv("BERTH_UPDATE") != nullptr) std::ofstream(expected) << outcome(path);
    EXPECT_EQ(outcome(path), read_file(expected)) << path;
  }
}

TEST(Scenario, GivesTheSameBytesAgain) {
  for (const fs::path& path : cases()) EXPECT_EQ(outcome(path), outcome(path)) << path;
}

TEST(Scenario, PrintsATableForPeople) {
  const auto table = run_scenario_table(read_file("tests/scenario/PS6-strict-head-of-line.json"), 1);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(*table,
            "pass 1\n"
            "  waits      big  no-capacity: no agent has enough: cpu: 8 asked, 4 free on a1\n"
            "  waits      small  behind-head: not tried: big before it blocks the queue\n");
}

}  // namespace
}  // namespace berth::placement
