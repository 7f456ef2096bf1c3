// record_opening(): asked by a route of the test, over the fake cell.
#include "controller/api/inside/opening.h"

#include <gtest/gtest.h>

#include "controller/api/routes/route_table.h"
#include "tests/support/words.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

// Opens what the path says, and replies "opened", or the error.
void open_by_path(const api::Services& services, const api::CallPtr& call, const api::Reply& reply) {
  api::Opening opening{SessionId(Uuid::parse(call->path[0]).value_or(Uuid{})),
                       KernelId(Uuid::parse(call->path[1]).value_or(Uuid{})),
                       value_of<v1::WayKind>(call->path[2]), call->path[3] == "-" ? "" : call->path[3]};
  api::record_opening(services, call, std::move(opening), [reply](const std::optional<Error>& error) {
    reply(api::json_text_reply(200, error ? to_string(*error) : "opened"));
  });
}

api::ApiOptions with_opening_route() {
  api::ApiOptions options = quiet_options();
  std::vector<api::Route> routes = options.routes.routes();
  routes.push_back(
      {"GET", "/test/{session}/{kernel}/{kind}/{name}", "open", open_by_path, api::Route::kAnybody});
  options.routes = api::RouteTable(std::move(routes));
  options.asker.answer = std::chrono::milliseconds(200);
  return options;
}

Events opened_cell() {
  return small_cluster() + Events{session_requested("s1"), session_scheduled("s1", {{"a1", {}}}),
                                  kernel_running(kernel_name("s1"))};
}

class RecordOpening : public ::testing::Test {
 protected:
  std::string opened(const std::string& kind, const std::string& name = "-",
                     const std::string& key = "alice-key") {
    std::string out = rig.ask({.target = "/test/" + to_string(session_id("s1")) + "/" +
                                         to_string(kernel_id(kernel_name("s1"))) + "/" + kind + "/" + name,
                               .key = key})
                          .body;
    if (!out.empty()) out.pop_back();  // the line's end
    return out;
  }
  boost::json::array events() {
    const auto reply = rig.ask({.target = "/v1/events?type=KernelOpened"});
    return ApiRig::json_of(reply).at("events").as_array();
  }
  ApiRig rig{opened_cell(), with_opening_route()};
};

TEST_F(RecordOpening, IsDoneWhenTheRecordWasReadBack) {
  EXPECT_EQ(opened("shell", "main"), "opened");
  const auto told = events();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].at("actor").as_string(), "user:alice");
  const auto& data = told[0].at("data");
  EXPECT_EQ(data.at("kind").as_string(), "shell");
  EXPECT_EQ(data.at("name").as_string(), "main");
  EXPECT_EQ(data.at("user").as_string(), "alice");
  EXPECT_EQ(data.at("key_pair").as_string(), "alice-key");
  EXPECT_TRUE(data.at("browser_session").is_null());
  EXPECT_EQ(data.at("attempt").to_number<int>(), 1);
  EXPECT_EQ(told[0].at("session").as_string(), to_string(session_id("s1")));
}

TEST_F(RecordOpening, EachTimeIsAnOpeningOfItsOwn) {
  auto request = rig.request({.target = "/test/" + to_string(session_id("s1")) + "/" +
                                        to_string(kernel_id(kernel_name("s1"))) + "/exec/-",
                              .key = "alice-key"});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(rig.send(request).body, "opened\n") << "the same signed request";
  EXPECT_EQ(events().size(), 2u);
}

TEST_F(RecordOpening, ARefusalIsAnErrorAndNoEvent) {
  EXPECT_EQ(opened("shell", "main", "admin-key").substr(0, 7), "denied:");
  EXPECT_EQ(opened("shell", "main", "bob-key").substr(0, 16), "unknown-session:");
  EXPECT_EQ(opened("ssh").substr(0, 14), "invalid-value:");
  rig.cell.append({session_terminating("s1")});
  const std::string late = opened("exec");
  EXPECT_EQ(late, "session-not-running: session s1 is TERMINATING (a kernel is opened while it runs)");
  EXPECT_TRUE(events().empty());
}

TEST_F(RecordOpening, AJournalThatDoesNotAnswerIsAnError) {
  for (const auto& [log, code] : {std::pair{FakeCell::Log::kSilent, "outcome-unknown:"},
                                  {FakeCell::Log::kUnknown, "outcome-unknown:"},
                                  {FakeCell::Log::kFails, "log-unavailable:"},
                                  {FakeCell::Log::kFull, "controller-full:"}}) {
    rig.cell.log = log;
    EXPECT_TRUE(opened("exec").starts_with(code)) << code;
  }
  EXPECT_TRUE(events().empty());
}

}  // namespace
}  // namespace berth::testing
