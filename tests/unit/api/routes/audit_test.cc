// Audits as jobs: what a job says of its range and progress, and the bounds of how many there may be.
#include <gtest/gtest.h>

#include <atomic>

#include "controller/api/audit/audit_jobs.h"
#include "tests/support/journal.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

namespace json = boost::json;

class AuditRoutes : public ::testing::Test {
 protected:
  AuditRoutes() {
    log_.elect();
    for (int i = 0; i < 9; ++i) log_.append({clock_confirmed()});
    entries_ = log_.entries();
    rig_.cell.raw_journal = [this](Offset from, std::size_t most) -> Result<controller::RawJournalPage> {
      controller::RawJournalPage page{0, endless_ ? Offset{1} << 40 : entries_.size(), {}};
      if (from == UINT64_MAX) return page;  // how far it goes
      for (Offset at = from; at < entries_.size() && page.entries.size() < most; ++at)
        page.entries.push_back(entries_[at]);
      if (page.entries.empty()) page.entries.push_back({{Stream::kJournal, 0}, from, {}, true});
      return page;
    };
  }
  std::string cancel(const std::string& job) {
    return ApiRig::code_of(rig_.ask({.method = "DELETE", .target = "/v1/audit/" + job}));
  }
  api::HttpReply start(const std::string& body = "{}") {
    return rig_.ask({.method = "POST", .target = "/v1/audit", .body = body});
  }
  std::string started(const std::string& body = "{}") {
    const auto reply = start(body);
    EXPECT_EQ(reply.status, 202u) << reply.body;
    return std::string(ApiRig::json_of(reply).at("job").as_string());
  }
  json::value told(const std::string& job) {
    return ApiRig::json_of(rig_.ask({.target = "/v1/audit/" + job}));
  }
  // Asked until it is over: each answer waits for nothing but the server.
  json::value ended(const std::string& job) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    json::value last = told(job);
    while (last.at("state").as_string() == "running" && std::chrono::steady_clock::now() < deadline)
      last = told(job);
    return last;
  }

  TestJournal log_;
  std::vector<LogEntry> entries_;
  std::atomic<bool> endless_ = false;  // behind its records the log has offsets without any
  ApiRig rig_;
};

TEST_F(AuditRoutes, AJobSaysItsRangeAndThatAllIsGood) {
  const auto end = ended(started());
  EXPECT_EQ(end.at("state").as_string(), "good") << json::serialize(end);
  EXPECT_EQ(end.at("from").to_number<int>(), 0);
  EXPECT_EQ(end.at("to").to_number<int>(), 10);
  EXPECT_EQ(end.at("checked").to_number<int>(), 10);
  EXPECT_EQ(end.at("applied").to_number<int>(), 10);
  EXPECT_EQ(end.at("first_bad"), nullptr);
}

TEST_F(AuditRoutes, AJobOfAShorterRangeEndsThere) {
  const auto end = ended(started(R"({"to": 4})"));
  EXPECT_EQ(end.at("state").as_string(), "good");
  EXPECT_EQ(end.at("checked").to_number<int>(), 4);
}

TEST_F(AuditRoutes, AJobNamesTheFirstBadOffset) {
  entries_[6].payload[entries_[6].payload.size() / 2] ^= 1;
  const auto end = ended(started());
  EXPECT_EQ(end.at("state").as_string(), "bad");
  EXPECT_EQ(end.at("first_bad").as_string(), "6-0");
  EXPECT_EQ(end.at("code").as_string(), "record-damaged");
}

TEST_F(AuditRoutes, ARangeBeyondTheEndIsRefused) {
  EXPECT_EQ(ApiRig::code_of(start(R"({"to": 11})")), "invalid-parameter");
  EXPECT_EQ(ended(started(R"({"to": 10})")).at("state").as_string(), "good");
}

TEST_F(AuditRoutes, TwoRunAtOnceAndAThirdIsToldSo) {
  endless_ = true;
  const std::string one = started(), two = started();
  EXPECT_EQ(told(one).at("state").as_string(), "running");
  EXPECT_EQ(ApiRig::code_of(start()), "audits-busy");
  EXPECT_EQ(cancel(one), "");
  EXPECT_EQ(told(one).at("state").as_string(), "cancelled");
  EXPECT_EQ(told(two).at("state").as_string(), "running");
  const std::string third = started();
  EXPECT_EQ(ApiRig::code_of(start()), "audits-busy");
  cancel(two);
  cancel(third);
  endless_ = false;
  EXPECT_EQ(ended(started()).at("state").as_string(), "good");
}

TEST_F(AuditRoutes, AJobThatHasEndedIsForgottenWhenItIsCancelled) {
  const std::string one = started();
  ended(one);
  EXPECT_EQ(cancel(one), "");
  EXPECT_EQ(cancel(one), "unknown-audit");
}

TEST_F(AuditRoutes, HalfAHeadIsRefusedAtOnce) {
  EXPECT_EQ(ApiRig::code_of(start(R"({"head": {"cluster_id": "x"}})")), "head-damaged");
  EXPECT_EQ(ApiRig::code_of(rig_.ask({.target = "/v1/audit/nobody"})), "unknown-audit");
}

TEST_F(AuditRoutes, AUserIsNotTold) {
  EXPECT_EQ(
      ApiRig::code_of(rig_.ask({.method = "POST", .target = "/v1/audit", .body = "{}", .key = "alice-key"})),
      "denied");
  EXPECT_EQ(ApiRig::code_of(rig_.ask({.target = "/v1/audit/head", .key = "alice-key"})), "denied");
}

}  // namespace
}  // namespace berth::testing
