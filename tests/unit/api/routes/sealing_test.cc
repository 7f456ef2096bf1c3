// Secrets on their way into the journal while sealing keys come and go (P29).
#include <gtest/gtest.h>

#include "tests/support/decide.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

v1::Event seal_key_added(std::uint32_t number) {
  v1::Event e;
  e.mutable_seal_key_added()->set_number(number);
  *e.mutable_seal_key_added()->mutable_key() = decisions::some_sealed();
  return e;
}

v1::Event seal_key_destroyed(std::uint32_t number) {
  v1::Event e;
  e.mutable_seal_key_destroyed()->set_number(number);
  return e;
}

SealingKey some_key(std::uint32_t number) {
  return {number, std::string(kSealKeyBytes, static_cast<char>('a' + number))};
}

// The server seals with key 2. Before the next request is decided the others rotate to key 3 and destroy it.
class Sealing : public ::testing::Test {
 protected:
  void SetUp() override {
    rig_.cell.append({seal_key_added(2)});
    rig_.cell.sealing.add(some_key(2));
  }
  void rotate_on_the_way() {
    rig_.cell.on_submit = [this](const v1::Request&) {
      if (std::exchange(is_rotated_, true)) return;
      rig_.cell.append({seal_key_added(3), seal_key_destroyed(2)});
      rig_.cell.sealing.add(some_key(3));
      rig_.cell.sealing.erase(2);
    };
  }
  std::uint32_t key_of_newest_session() {
    v1::Sealed sealed;
    rig_.cell.with_state([&](const controller::StateView& view) {
      for (const SessionId& id : view.state.sessions.sorted_keys())
        if (const auto& environment = view.state.sessions.find(id)->environment)
          sealed.ParseFromString(*environment);
    });
    return sealed.key();
  }

  ApiRig rig_;
  bool is_rotated_ = false;
};

TEST_F(Sealing, P29_AKeyPairWhoseSealingKeyIsDestroyedOnTheWayIsSealedAnew) {
  rotate_on_the_way();
  const ApiRig::Ask ask{.method = "POST",
                        .target = "/v1/keys",
                        .body = R"({"name": "laptop"})",
                        .key = "alice-key",
                        .idempotency_key = "6b3c0e0e-0000-4000-8000-000000000001"};
  const auto made = rig_.ask(ask);
  ASSERT_EQ(made.status, 201u) << made.body;
  const auto body = ApiRig::json_of(made).as_object();
  ASSERT_TRUE(body.at("secret_key").is_string()) << made.body;
  auto request = rig_.request({.target = "/v1/whoami"});
  sign_request(request, body.at("key").at("id").as_string().c_str(),
               body.at("secret_key").as_string().c_str());
  EXPECT_EQ(rig_.send(request).status, 200u) << "the secret signs";
  const auto again = rig_.ask(ask);
  EXPECT_EQ(again.status, 200u) << again.body;
  EXPECT_EQ(ApiRig::json_of(again).at("secret_key"), body.at("secret_key"));
}

TEST_F(Sealing, P29_AnEnvironmentIsSealedAnew) {
  rotate_on_the_way();
  const auto made = rig_.ask({.method = "POST",
                              .target = "/v1/sessions",
                              .body = R"({"name": "s1", "image": "python:3.11", "env": {"TOKEN": "x"},
                                         "resources": {"cpu": "1", "mem": "1g"}})",
                              .key = "alice-key"});
  ASSERT_EQ(made.status, 201u) << made.body;
  EXPECT_EQ(key_of_newest_session(), 3u);
  const auto shown = rig_.get("/v1/sessions/s1", "alice-key");
  EXPECT_EQ(shown.at("env").at("TOKEN").as_string(), "x");
}

// Its log does not open the new key: it would be refused for ever, and is so once.
TEST_F(Sealing, P29_AServerThatCannotSealWithANewerKeySaysSo) {
  rig_.cell.append({seal_key_added(3), seal_key_destroyed(2)});
  const auto made =
      rig_.ask({.method = "POST", .target = "/v1/keys", .body = R"({"name": "laptop"})", .key = "alice-key"});
  EXPECT_EQ(made.status, 503u) << made.body;
  EXPECT_EQ(ApiRig::code_of(made), "seal-key-destroyed");
  EXPECT_EQ(rig_.cell.submitted, 2);
}

}  // namespace
}  // namespace berth::testing
