// What ends with a session: of which kernels it is asked, what they may answer, and who is told names.
#include "tests/unit/api/support/inside_rig.h"
#include "tests/unit/api/support/openapi_schema.h"

namespace berth::testing {
namespace {

namespace json = boost::json;

Events session_of_two_kernels(const std::string& name) {
  return {session_requested(name, Spec().kernels(2)),
          session_scheduled(name, {{"a1"}, {.agent = "a1", .index = 2}}), kernel_running(kernel_name(name)),
          kernel_running(kernel_name(name, "main", 2))};
}

class Losses : public InsideRig {
 protected:
  std::future<api::HttpReply> ask(const std::string& session = "s1", const std::string& key = "alice-key") {
    return rig.send_later(rig.request({.target = "/v1/sessions/" + session + "/losses", .key = key}));
  }
  static void tell(FakeChannel& there, inside::LossSum sum, const std::vector<inside::LossEntry>& named) {
    there.say(inside::Begun{});
    there.say(sum);
    for (const auto& entry : named) there.say(entry);
    there.say(inside::Ended{});
  }
};

TEST_F(Losses, AreCountedAndNamedToTheOwner) {
  auto answer = ask();
  const auto there = channel();
  EXPECT_EQ(there->kernel().kernel, kernel_id(kernel_name("s1")));
  EXPECT_EQ(there->request().what, inside::Request::What::kLosses);
  tell(*there, {3, 52'480, false},
       {{"/home/work/\xEB\xAA\xA8\xEB\x8D\xB8.ipynb", 1480}, {"/home/work/\xff", 2}});
  const auto reply = answer.get();
  EXPECT_EQ(reply.body,
            "{\"files\":3,\"bytes\":52480,\"complete\":false,\"names\":["
            "{\"kernel\":\"main1\",\"path\":\"/home/work/\xEB\xAA\xA8\xEB\x8D\xB8.ipynb\",\"bytes\":1480},"
            "{\"kernel\":\"main1\",\"path\":\"/home/work/\xEF\xBF\xBD\",\"bytes\":2}],\"unknown\":[]}\n");
  EXPECT_EQ(
      misfit(openapi_document().at("components").at("schemas").at("Losses"), ApiRig::json_of(reply), ""), "");
}

TEST_F(Losses, AreCountedAndNotNamedToWhoeverMayEndTheSessionAlone) {
  auto answer = ask(to_string(session_id("s1")), "admin-key");
  tell(*channel(), {3, 7, true}, {{"/home/work/private", 7}});
  EXPECT_EQ(answer.get().body, "{\"files\":3,\"bytes\":7,\"complete\":true,\"names\":[],\"unknown\":[]}\n");
  EXPECT_EQ(ApiRig::code_of(ask(to_string(session_id("s1")), "bob-key").get()), "unknown-session");
  EXPECT_EQ(rig.cell.channels.opened(), 1u);
}

TEST_F(Losses, AreNoneOfASessionWithoutAKernelThatRuns) {
  rig.cell.append({session_requested("waits")});
  EXPECT_EQ(ask("waits").get().body,
            "{\"files\":0,\"bytes\":0,\"complete\":true,\"names\":[],\"unknown\":[]}\n");
  rig.cell.append({session_terminating("s1")});
  EXPECT_EQ(ApiRig::code_of(ask().get()), "session-terminating");
  EXPECT_EQ(rig.cell.channels.opened(), 0u);
}

TEST_F(Losses, OfAllKernelsAreOneSumAndAKernelThatIsSilentIsNamed) {
  rig.cell.append(session_of_two_kernels("gang"));
  auto answer = ask("gang");
  tell(*channel(0), {1, 10, true}, {{"/home/work/a", 10}});
  tell(*channel(1), {2, inside::kLossNumberMax, true}, {{"/home/work/b", 1}});
  const json::value both = ApiRig::json_of(answer.get());
  EXPECT_EQ(both.at("files").as_int64(), 3);
  EXPECT_EQ(both.at("bytes").as_int64(), static_cast<std::int64_t>(inside::kLossNumberMax));
  EXPECT_TRUE(both.at("complete").as_bool());
  ASSERT_EQ(both.at("names").as_array().size(), 2u);
  EXPECT_EQ(both.at("names").at(1).at("kernel").as_string(), "main2");

  auto again = ask("gang");
  tell(*channel(2), {1, 10, true}, {{"/home/work/a", 10}});
  channel(3)->say(inside::Problem{"unknown-request", "this kernel's helper is of an older version"});
  const json::value one = ApiRig::json_of(again.get());
  EXPECT_EQ(one.at("files").as_int64(), 1);
  EXPECT_FALSE(one.at("complete").as_bool());
  EXPECT_EQ(one.at("unknown"), json::parse(R"([{"kernel": "main2", "code": "unknown-request"}])"));
}

TEST_F(Losses, OfKernelsOfWhichNoneAnswersAreThatProblem) {
  auto of_old = ask();
  channel(0)->say(inside::Problem{"unknown-request", "this kernel's helper is of an older version"});
  const auto old = of_old.get();
  EXPECT_EQ(ApiRig::code_of(old), "unknown-request");
  EXPECT_EQ(old.status, 409u);
  auto of_busy = ask();
  channel(1)->say(inside::Problem{"kernel-busy", "4 look already"});
  EXPECT_EQ(of_busy.get().status, 503u);
  auto of_gone = ask();
  channel(2)->fail(make_error("agent-unreachable", "no agent is there"));
  EXPECT_EQ(ApiRig::code_of(of_gone.get()), "agent-unreachable");
}

TEST_F(Losses, ThatAreNoAnswerAreAFault) {
  const auto bytes = [](const std::vector<inside::Answer>& answers) {
    std::string out;
    append_answer(out, inside::Begun{});
    for (const auto& answer : answers) append_answer(out, answer);
    append_answer(out, inside::Ended{});
    return out;
  };
  const inside::LossSum sum{1, 1, true};
  const inside::LossEntry entry{"/a", 1};
  std::vector<inside::Answer> many{sum};
  many.insert(many.end(), inside::kLossesNamedMax + 1, entry);
  std::size_t number = 0;
  for (const std::string& said : {bytes({}), bytes({entry}), bytes({sum, sum}),
                                  bytes({sum, inside::Out{"x"}}), bytes(many), std::string(64, '\xff')}) {
    auto answer = ask();
    const auto there = channel(number++);
    there->say_bytes(said);
    EXPECT_EQ(ApiRig::code_of(answer.get()), "agent-answer-invalid") << number;
    EXPECT_TRUE(there->wait_until_gone());
  }
}

TEST_F(Losses, AreNothingThatAProgramSays) {
  const auto client = begun();
  agent->say(inside::LossSum{});
  EXPECT_EQ(client->problem(), "agent-answer-invalid 1011");
}

}  // namespace
}  // namespace berth::testing
