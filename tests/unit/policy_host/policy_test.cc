// Selection policies in shared libraries, built here by the plain C compiler: a good one through a scenario,
// and every kind of bad one.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "controller/policy_host/policy_folder.h"
#include "controller/scenario/scenario.h"

namespace berth::controller::policy {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

// a1 has less memory, b2 most of it for each GPU, c3 most of it in all: `concentrated` takes a1, the example
// b2.
constexpr const char* kThree = R"({"agents": [
    {"id": "a1", "slots": {"cpu": "8", "mem": "16g"}, "devices": [{"id": "gpu0", "slots": {"cuda.shares": "1"}}]},
    {"id": "b2", "slots": {"cpu": "8", "mem": "64g"}, "devices": [{"id": "gpu0", "slots": {"cuda.shares": "1"}}]},
    {"id": "c3", "slots": {"cpu": "8", "mem": "96g"}, "devices": [{"id": "gpu0", "slots": {"cuda.shares": "1"}},
                                                                  {"id": "gpu1", "slots": {"cuda.shares": "1"}},
                                                                  {"id": "gpu2", "slots": {"cuda.shares": "1"}}]}],
  "groups": [{"select": "custom", "custom": "NAME"}], "sessions": SESSIONS})";

std::string scenario(const std::string& policy, int sessions = 1) {
  std::string list;
  for (int i = 1; i <= sessions; ++i)
    list += std::string(list.empty() ? "" : ", ") + R"({"id": "s)" + std::to_string(i) +
            R"(", "slots": {"cpu": "1", "mem": "1g"}})";
  std::string text = kThree;
  text.replace(text.find("NAME"), 4, policy);
  return text.replace(text.find("SESSIONS"), 8, "[" + list + "]");
}

class Policies : public ::testing::Test {
 protected:
  Policies() : folder_(::testing::TempDir() + "berth-policies-" + std::to_string(::getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

 public:
  ~Policies() override { fs::remove_all(folder_); }

 protected:
  // misbehaving.c with these definitions, as NAME.so.
  void build(const std::string& name, const std::string& defines) {
    const std::string source = std::string(BERTH_SOURCE) + "/tests/unit/policy_host/misbehaving.c";
    run("cc -std=c99 -D_DEFAULT_SOURCE -I" + std::string(BERTH_SOURCE) +
        "/controller/placement/select/custom " + defines + " -fPIC -shared -o " + folder_ + "/" + name +
        ".so " + source);
  }
  void build_example() {
    fs::copy(std::string(BERTH_SOURCE) + "/ops/policy-example",
             folder_ + "/src");  // out of the tree, as anybody would
    run("make -s -C " + folder_ + "/src BERTH=" + BERTH_SOURCE +
        "/controller/placement/select/custom && cp " + folder_ + "/src/roomy_memory.so " + folder_);
  }
  static void run(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

  // Agents in order of the sessions, "a1 b2"; the error's code where there is one.
  std::string placed(const std::string& policy, int sessions = 1, int passes = 1) {
    const auto ran = placement::run_scenario(scenario(policy, sessions), passes, &policies_);
    if (!ran.ok()) return ran.error().code.word();
    std::string agents;
    const json::value result = json::parse(*ran);
    for (const auto& pass : result.at("passes").as_array())
      for (const auto& session : pass.at("placed").as_array())
        agents +=
            (agents.empty() ? "" : " ") + std::string(session.at("kernels").at(0).at("agent").as_string());
    return agents;
  }
  std::string check(const std::string& name) {
    const auto refusal = policies_.check(name);
    return refusal ? refusal->code.word() : "";
  }

  std::string folder_, said_;
  PolicyFolder policies_{folder_, BERTH_POLICY_HOST,
                         [this](const std::string& line) { said_ += line + "\n"; }};
};

TEST_F(Policies, TheExampleIsBuiltOutOfTheTreeAndPrefersMemoryForEachGpu) {
  build_example();
  EXPECT_EQ(check("roomy_memory"), "");
  EXPECT_EQ(placed("roomy_memory"), "b2");
  EXPECT_EQ(placed("roomy_memory", 3), "b2 b2 b2");
  EXPECT_EQ(said_, "");
}

TEST_F(Policies, FailIntoConcentratedForTheRestOfThePass) {
  build("good", "");
  build("slow", "-DPOLICY_SLOW");
  build("crash", "-DPOLICY_CRASH");
  build("gone", "-DPOLICY_EXIT");
  build("wild", "-DPOLICY_WILD");
  build("lazy", "-DPOLICY_LAZY");
  build("error", "-DPOLICY_ERROR");
  build("other", "-DPOLICY_ABI=2u");
  build("empty", "-DPOLICY_NO_ENTRY");
  EXPECT_EQ(placed("good", 2), "c3 c3");  // it likes the last one best
  const std::pair<const char*, const char*> bad[] = {
      {"slow", "policy-timeout"},   {"crash", "policy-died"},     {"gone", "policy-died"},
      {"wild", "policy-bad-score"}, {"lazy", "policy-bad-score"}, {"error", "policy-failed"},
      {"other", "policy-start"},    {"empty", "policy-start"}};
  for (const auto& [name, code] : bad) {
    said_.clear();
    EXPECT_EQ(placed(name, 2), "a1 a1") << name;
    EXPECT_NE(said_.find(code), std::string::npos) << name << ": " << said_;
    EXPECT_EQ(std::count(said_.begin(), said_.end(), '\n'), 1) << name << " is asked once a pass: " << said_;
  }
}

TEST_F(Policies, WhatOnePrintsIsNoAnswer) {
  build("talks", "-DPOLICY_TALKS");
  EXPECT_EQ(placed("talks", 2), "c3 c3");
  EXPECT_EQ(said_, "");
}

// The process is started anew for the next pass: its first answer is good again, its second is not.
TEST_F(Policies, AreTriedAgainInTheNextPassAndSwitchedOffAfterThreeInARow) {
  build("once", "-DPOLICY_ONCE");
  auto* once = policies_.find("once");
  ASSERT_NE(once, nullptr);
  placement::CustomQuestion question;
  question.agents.resize(2);
  question.agents[0].id = "a", question.agents[1].id = "b";
  std::int64_t scores[2] = {9, 9};
  for (int pass = 1; pass <= 5; ++pass) {
    once->begin_pass();
    EXPECT_EQ(once->score(question, scores), pass <= 3) << pass;
    EXPECT_FALSE(once->score(question, scores)) << pass;
    EXPECT_FALSE(once->score(question, scores)) << "not asked again in this pass";
  }
  EXPECT_NE(policies_.metrics().find("berth_policy_off{policy=\"once\"} 1"), std::string::npos)
      << policies_.metrics();
  EXPECT_NE(policies_.metrics().find("berth_policy_failures_total{policy=\"once\"} 3"), std::string::npos)
      << policies_.metrics();
  EXPECT_EQ(policies_.find("once"), once);  // its group is defined anew
  once->begin_pass();
  EXPECT_TRUE(once->score(question, scores));
  EXPECT_EQ(scores[1], 1);
}

TEST_F(Policies, AreLoadedFromTheFolderAloneAndOnlyFilesThatNobodyElseMayWrite) {
  build("good", "");
  build("loose", "");
  fs::permissions(folder_ + "/loose.so", fs::perms::others_write, fs::perm_options::add);
  fs::create_symlink("good.so", folder_ + "/link.so");
  fs::create_directory(folder_ + "/dir.so");
  EXPECT_EQ(check("good"), "");
  EXPECT_EQ(check("loose"), "untrusted-policy");
  EXPECT_EQ(check("link"), "untrusted-policy");
  EXPECT_EQ(check("dir"), "untrusted-policy");
  for (const char* name : {"absent", "", "../good", "good.so", "/etc/passwd", "a b"})
    EXPECT_EQ(check(name), "unknown-policy") << name;
  EXPECT_EQ(PolicyFolder("", BERTH_POLICY_HOST, {}).check("good")->code, "unknown-policy");
  std::ofstream(folder_ + "/text.so") << "no library";
  EXPECT_EQ(check("text"), "bad-policy");
  build("other", "-DPOLICY_ABI=2u");
  EXPECT_EQ(check("other"), "bad-policy");
  fs::permissions(folder_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(check("good"), "untrusted-policy");
}

TEST_F(Policies, AScenarioWithoutItsPolicyIsRefused) {
  EXPECT_EQ(placed("absent"), "unknown-policy");
  const auto without = placement::run_scenario(scenario("absent"), 1);
  EXPECT_EQ(without.error().code, "unknown-policy");
  const auto unnamed = placement::run_scenario(
      R"({"groups": [{"select": "custom"}], "agents": [], "sessions": []})", 1, &policies_);
  EXPECT_EQ(unnamed.error().code, "bad-scenario");
}

}  // namespace
}  // namespace berth::controller::policy
