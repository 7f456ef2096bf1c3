// P26: a journal that lost records that a node had read.
#include <gtest/gtest.h>

#include "tests/unit/runtime/node_rig.h"

namespace berth::testing {
namespace {

class TruncatedJournal : public ::testing::Test {
 protected:
  // A node with definitions, and the journal's end without the last `lost` records.
  Offset shortened(NodeRig& rig, Offset lost) {
    EXPECT_TRUE(rig.start());
    EXPECT_TRUE(rig.define());
    for (const char* name : {"ann", "bob", "cyd"}) {  // each a record
      v1::Request request;
      auto* user = request.mutable_define()->add_users();
      user->set_name(name);
      user->set_domain("default");
      user->set_role(v1::ROLE_USER);
      EXPECT_TRUE(rig.ask(request));
    }
    return log_.extent(kJournal)->end - lost;
  }
  std::filesystem::path folder() const { return folder_.path(); }

  ThreadedMemoryLog log_;
  TempDir folder_;
};

TEST_F(TruncatedJournal, P26_IsRefusedAtStartAndBothOffsetsAndFoldersAreNamed) {
  Offset left = 0;
  {
    NodeRig rig(log_, folder());
    left = shortened(rig, 1);
  }
  const Offset read = log_.extent(kJournal)->end;
  log_.truncate(kJournal, left);
  controller::CellNodeConfig config;
  config.follower.log_name = "memory:";
  config.follower.store_name = folder();
  NodeRig again(log_, folder(), config);
  const auto started = again.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, "log-truncated");
  for (const std::string& named :
       {std::to_string(left), std::to_string(read), std::string("memory:"), folder().string()})
    EXPECT_NE(started.error().message.find(named), std::string::npos) << started.error().message;
}

TEST_F(TruncatedJournal, P26_StartsForWhoAcceptsItAndIsReady) {
  Offset left = 0;
  {
    NodeRig rig(log_, folder());
    left = shortened(rig, 1);
  }
  log_.truncate(kJournal, left);
  controller::CellNodeConfig config;
  config.follower.accept_truncation = true;
  NodeRig again(log_, folder(), config);
  ASSERT_TRUE(again.start());
  EXPECT_TRUE(again.define());
  EXPECT_EQ(again.failing("truncation"), "");
}

TEST_F(TruncatedJournal, P26_UnderARunningNodeTakesNoChangeUntilAnOperatorAccepts) {
  Offset left = 0;
  {
    NodeRig rig(log_, folder());
    left = shortened(rig, 2);
    log_.truncate(kJournal, left);
    ASSERT_TRUE(rig.await([&] { return rig.api().facts().truncation.has_value(); }));
    v1::Request change;
    change.mutable_define()->add_domains()->set_name("late");
    EXPECT_EQ(rig.answer_to(change), "log-truncated");
    const auto gone = rig.api().facts().truncation;
    ASSERT_TRUE(gone);
    EXPECT_EQ(gone->left, left);
    EXPECT_GE(gone->read, left + 2);
    EXPECT_NE(rig.failing("truncation").find(std::to_string(gone->read)), std::string::npos);
  }
  {
    NodeRig restarted(log_, folder());
    ASSERT_TRUE(restarted.start());
    EXPECT_NE(restarted.failing("truncation"), "") << "a restart accepts nothing";
    ASSERT_TRUE(restarted.api().accept_truncation());
    EXPECT_EQ(restarted.failing("truncation"), "");
    EXPECT_TRUE(restarted.define()) << "what was accepted is gone, and changes are taken";
  }
  NodeRig accepted(log_, folder());
  ASSERT_TRUE(accepted.start());
  EXPECT_FALSE(accepted.api().facts().truncation);
}

TEST_F(TruncatedJournal, F13_ARecordInThePlaceOfALostVoidOneIsShown) {
  NodeRig rig(log_, folder());
  const Offset left = shortened(rig, 0);
  log_.append(kJournal, {}, "no record", {});
  ASSERT_TRUE(rig.await([&] { return rig.node().voids().contains(left); }));
  log_.truncate(kJournal, left);
  ASSERT_TRUE(rig.await([&] { return rig.api().facts().truncation.has_value(); }));
  ASSERT_TRUE(rig.api().accept_truncation());
  rig.ask_for_session("s1");
  ASSERT_TRUE(rig.await_state([&](const controller::StateView& view) { return view.position > left; }));
  EXPECT_FALSE(rig.node().voids().contains(left));
  const auto page = rig.api().read_journal(left, 10, 1u << 20);
  ASSERT_TRUE(page);
  ASSERT_FALSE(page->records.empty());
  EXPECT_EQ(page->records.front().offset, left);
}

}  // namespace
}  // namespace berth::testing
