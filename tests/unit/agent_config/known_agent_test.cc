#include "agents/runtime/known_agent.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace berth::agents {
namespace {

class KnownAgents : public ::testing::Test {
 protected:
  std::string code() const {
    const auto checked = check_known_agent(data_, record_);
    return checked ? "" : checked.error().code.word();
  }
  void make_ledger() const { std::ofstream(data_ + "/claims") << ""; }

  const testing::TempDir temp_, records_;
  const std::string data_ = temp_.path().string(), record_ = records_.path().string() + "/known/record";
};

TEST_F(KnownAgents, AFolderThatHeldAnAgentMayNotBeEmpty) {
  EXPECT_EQ(code(), "");
  make_ledger();
  EXPECT_EQ(remember_agent(data_, record_, "a1", true), "");
  EXPECT_EQ(code(), "");
  std::filesystem::remove(data_ + "/claims");
  EXPECT_EQ(code(), "known-folder-empty");
  const auto error = check_known_agent(data_, record_).error();
  EXPECT_NE(error.message.find("held agent a1"), std::string::npos) << error.message;
  std::filesystem::remove(record_);
  EXPECT_EQ(code(), "");
}

TEST_F(KnownAgents, OneOfAnotherNameIsTaken) {
  make_ledger();
  EXPECT_EQ(remember_agent(data_, record_, "a1", true), "");
  EXPECT_EQ(code(), "");
  EXPECT_EQ(remember_agent(data_, record_, "a2", true), "");
}

TEST_F(KnownAgents, OneWithoutALedgerIsNotRemembered) {
  EXPECT_EQ(remember_agent(data_, record_, "a1", true), "");
  EXPECT_FALSE(std::filesystem::exists(record_))
      << "the fake backend has none: its next start would be refused";
}

}  // namespace
}  // namespace berth::agents
