// A cell with sessions whose kernels run, and streams into them.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/limits.h"
#include "tests/unit/api/support/stream_client.h"

namespace berth::testing {

inline constexpr const char* kEcho = R"({"command": ["echo", "hello"]})";

// alice's sessions s1 and s2, each with a kernel main1 that runs on a1; the superadmin "admin", and bob.
inline Events world_inside() { return small_cluster() + running("s1", "a1") + running("s2", "a1"); }

inline api::ApiOptions quick_options() {
  api::ApiOptions options = quiet_options();
  options.streams.look = std::chrono::milliseconds(10);
  options.streams.why_lost = std::chrono::milliseconds(200);
  return options;
}

class InsideRig : public ::testing::Test {
 protected:
  api::HttpReply open(const std::string& what, const std::string& session = "s1",
                      const std::string& key = "alice-key") {
    return rig.send(stream_request(rig, what, session, key));
  }
  std::shared_ptr<FakeChannel> channel(std::size_t number = 0) { return rig.cell.channels.await(number); }
  // A stream that has begun.
  std::unique_ptr<StreamClient> begun(const std::string& what = "exec", const std::string& ask = kEcho) {
    auto client = std::make_unique<StreamClient>(open(what));
    const std::size_t number = rig.cell.channels.opened();
    client->say(ask);
    agent = channel(number);
    asked = agent->request();
    agent->say(inside::Begun{});
    EXPECT_TRUE(client->json().as_object().contains("begun"));
    return client;
  }

  ApiRig rig{world_inside(), quick_options()};
  std::shared_ptr<FakeChannel> agent;
  inside::Request asked;
};

}  // namespace berth::testing
