// What a node does when its log or its store cannot go on.
#include <gtest/gtest.h>

#include <future>

#include "controller/runtime/bootstrap.h"
#include "tests/support/spec.h"
#include "tests/unit/runtime/node_rig.h"

namespace berth::testing {
namespace {

TEST(Node, P20_TheApiIsToldToComeLaterWhileTheLogTakesNothingBack) {
  ThreadedMemoryLog log;
  const TempDir folder;
  controller::CellNodeConfig config;
  config.controller.records_in_flight = 1;
  config.controller.read_back = kMinute;  // it goes on leading
  NodeRig rig(log, folder.path(), config);
  ASSERT_TRUE(rig.start());
  ASSERT_TRUE(rig.define());
  log.hold(Stream::kJournal);
  rig.ask_for_session("s1");
  ASSERT_TRUE(rig.await([&] { return rig.node().full(); }));
  const auto refused = rig.api().submit({}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "controller-full");
  log.release();
  EXPECT_TRUE(rig.await([&] { return !rig.node().full(); }));
}

// On a quiet cluster heartbeats alone carry it.
TEST(Node, P16_TheApiKnowsTheHeaderTimeByRecordsAndByHeartbeats) {
  ThreadedMemoryLog log;
  const TempDir folder;
  NodeRig rig(log, folder.path());
  EXPECT_EQ(rig.api().header_time(), std::nullopt);
  ASSERT_TRUE(rig.start());
  ASSERT_TRUE(rig.define());
  const Timestamp recorded =
      rig.node().read([](const projections::Projection& fold) { return fold.state().epoch().time; });
  EXPECT_TRUE(rig.await([&] { return rig.api().header_time() > recorded; }));
}

TEST(Node, AnAgentWhoseNameWasRemovedOrWhoseGroupIsNotThereIsNotBroughtIn) {
  ThreadedMemoryLog log;
  const TempDir folder;
  NodeRig rig(log, folder.path());
  ASSERT_TRUE(rig.start());
  ASSERT_TRUE(rig.define());
  EXPECT_TRUE(controller::check_local_agent(rig.api(), "a1", "default"));
  const auto nowhere = controller::check_local_agent(rig.api(), "a1", "gpu");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, "unknown-group");
  EXPECT_NE(nowhere.error().hint.find("there are: default"), std::string::npos) << nowhere.error().hint;

  ASSERT_TRUE(controller::enroll_agent(rig.api(), "a1", {}, kMinute));
  v1::Request request;
  request.mutable_remove()->set_kind(v1::DEFINITION_KIND_AGENT);
  request.mutable_remove()->set_name("a1");
  ASSERT_EQ(rig.answer_to(request), "");
  const auto retired = controller::check_local_agent(rig.api(), "a1", "default");
  ASSERT_FALSE(retired);
  EXPECT_EQ(retired.error().code, "name-retired");
  EXPECT_NE(retired.error().hint.find("--name"), std::string::npos) << retired.error().hint;
}

TEST(Node, AnIdThatCannotBeLookedUpInHistoryIsNotCalledFree) {
  ThreadedMemoryLog log;
  const TempDir folder;
  NodeRig rig(log, folder.path());
  std::promise<std::string> fatal;
  rig.node().set_on_fatal([&](const std::string& why) { fatal.set_value(why); });
  ASSERT_TRUE(rig.start());
  ASSERT_TRUE(rig.define());
  const Offset end = log.extent(kJournal)->end;
  rig.fail_history();
  rig.ask_for_session("s1");
  auto why = fatal.get_future();
  ASSERT_EQ(why.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  EXPECT_NE(why.get().find("told to fail"), std::string::npos);
  rig.node().stop();
  EXPECT_EQ(log.extent(kJournal)->end, end) << "nothing that was decided leaves";
}

// Nobody serves the sessions here, which is looked at behind their dependencies.
TEST(Node, ADependencyInHistoryIsDecidedByHowItEnded) {
  using projections::SessionResult;
  v1::Request request;
  v1::RequestSession& next = *request.mutable_request_session();
  next.set_name("next");
  *next.mutable_spec() = Spec().batch();
  next.add_depends_on(to_string(session_id("past")));
  projections::HistoryEntry past;
  past.session.id = session_id("past");
  past.session.name = "past";
  past.session.owner =
      std::make_shared<projections::SharedOwner>(projections::SharedOwner{owner("admin"), {}, {}});
  past.session.spec = std::make_shared<projections::SharedSpec>(projections::SharedSpec{Spec().batch(), {}});
  for (const auto& [result, code] : {std::pair{SessionResult::kSuccess, "no-agents"},
                                     std::pair{SessionResult::kFailed, "dependency-failed"}}) {
    past.session.result = result;
    ThreadedMemoryLog log;
    const TempDir folder;
    NodeRig rig(log, folder.path());
    rig.keep(past);
    ASSERT_TRUE(rig.start());
    ASSERT_TRUE(rig.define());
    EXPECT_EQ(rig.answer_to(request), code);
  }
}

}  // namespace
}  // namespace berth::testing
