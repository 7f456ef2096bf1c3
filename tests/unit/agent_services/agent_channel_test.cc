// The token of an app, as an agent's service says it and the API server takes it, over a real tunnel.
#include "controller/api/http/agent_channel.h"

#include <gtest/gtest.h>

#include <future>

#include "agents/services/app_route.h"
#include "agents/services/service_server.h"
#include "events/inside/messages.h"

namespace berth::agents {
namespace {

class AgentChannel : public ::testing::Test {
 public:
  AgentChannel() {
    KernelRoutes routes;
    routes["POST app"] = [this](const KernelQuestion&, const std::shared_ptr<tunnel::Stream>& stream) {
      if (silent) return held.push_back(stream);
      stream->answer({200, headers});
      cuts ? stream->reset() : stream->finish();
    };
    server = std::make_unique<ServiceServer>(signer, std::move(routes));
    const auto started = server->start("127.0.0.1:0");
    EXPECT_TRUE(started.ok());
    place = {"a1", *started, {}, 1};
    place.kernel.bytes.fill(7);
  }
  ~AgentChannel() override {
    tunnels.stop();
    server->stop();
  }

 protected:
  Result<controller::AppOpened> open() {
    std::promise<Result<controller::AppOpened>> promise;
    auto future = promise.get_future();
    const auto channel = open_agent_channel(
        tunnels, signer, place, "app?app=lab", 10 * kSecond,
        [&promise](Result<controller::AppOpened> opened) { promise.set_value(std::move(opened)); });
    return future.get();
  }

  const Signer signer{Uuid(), "agent:a1", 1, derive_key("secret", "agent:a1", 1)};
  tunnel::Headers headers;
  bool cuts = false;
  bool silent = false;
  std::vector<std::shared_ptr<tunnel::Stream>> held;
  std::unique_ptr<ServiceServer> server;
  controller::AgentTunnels tunnels;
  controller::KernelPlace place;
};

TEST_F(AgentChannel, BringsTheTokenOfTheApp) {
  const auto without = open();
  ASSERT_TRUE(without.ok()) << to_string(without.error());
  EXPECT_EQ(without->token, "");
  headers = {{kAppTokenHeader, std::string(inside::kTokenSize, 'a')}};
  const auto with = open();
  ASSERT_TRUE(with.ok()) << to_string(with.error());
  EXPECT_EQ(with->token, std::string(inside::kTokenSize, 'a'));
}

// It becomes part of a header.
TEST_F(AgentChannel, TakesNoTokenThatIsNone) {
  for (const std::string& token :
       {std::string(), std::string("abc"), std::string(inside::kTokenSize, 'A'),
        std::string(inside::kTokenSize - 1, 'a') + ",", std::string(inside::kTokenSize + 1, 'a')}) {
    headers = {{kAppTokenHeader, token}};
    const auto opened = open();
    ASSERT_FALSE(opened.ok()) << token;
    EXPECT_EQ(opened.error().code, "agent-answer-invalid") << token;
    EXPECT_TRUE(token.empty() || to_string(opened.error()).find(token) == std::string::npos);
  }
}

// A new life of an agent has a new address, and the old one will not answer.
TEST_F(AgentChannel, TellsWhoWaitsForAnAgentThatHasAnotherAddressNow) {
  silent = true;
  std::promise<Result<controller::AppOpened>> promise;
  auto told = promise.get_future();
  const auto waits = open_agent_channel(
      tunnels, signer, place, "app?app=lab", kHour,
      [&promise](Result<controller::AppOpened> opened) { promise.set_value(std::move(opened)); });
  place.address = "127.0.0.1:1";
  EXPECT_FALSE(open().ok());
  ASSERT_EQ(told.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_EQ(told.get().error().code, "agent-unreachable");
}

// The agent is there: who asks whether it runs would look in the wrong place.
TEST_F(AgentChannel, SaysOfAnAppThatCutsItsConnectionThatItWasCut) {
  cuts = true;
  std::promise<void> opened;
  const auto channel =
      open_agent_channel(tunnels, signer, place, "app?app=lab", 10 * kSecond,
                         [&opened](const Result<controller::AppOpened>&) { opened.set_value(); });
  opened.get_future().wait();
  std::promise<Result<std::string>> read;
  channel->read([&read](Result<std::string> bytes) { read.set_value(std::move(bytes)); });
  const auto bytes = read.get_future().get();
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().code, "connection-cut") << to_string(bytes.error());
}

}  // namespace
}  // namespace berth::agents
