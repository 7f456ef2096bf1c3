// A server with two sessions of alice whose image declares apps, and browsers that are let into these.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <memory>
#include <string>

#include "controller/api/auth/cookie.h"
#include "controller/api/auth/csrf.h"
#include "controller/api/http/server.h"
#include "events/base/hex.h"
#include "tests/support/limits.h"
#include "tests/unit/api/server/http_client.h"
#include "tests/unit/api/support/api_rig.h"
#include "tests/unit/api/support/app_image.h"

namespace berth::testing {

inline constexpr const char* kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

inline api::ApiOptions apps_options() {
  api::ApiOptions options = quiet_options();
  options.streams.look = std::chrono::milliseconds(10);
  options.sign_in.use_every = 5 * kMinute;
  return options;
}

struct Signed {
  std::string cookie, csrf;
};

class AppsRig : public ::testing::Test {
 protected:
  void SetUp() override {
    alice_ = sign_in("b1", "alice");
    start();
  }
  void start(api::ServerOptions options = {}) {
    options.port = 0;
    auto server = api::Server::start(options, rig_.api);
    ASSERT_TRUE(server.ok()) << to_string(server.error());
    server_ = std::move(*server);
    here_ = "127.0.0.1:" + std::to_string(server_->port());
  }
  void TearDown() override {
    rig_.cell.stop_agents();
    server_.reset();
  }

  Signed sign_in(const std::string& name, const std::string& user) {
    const api::BrowserCookie cookie{Uuid::from_hash(blake2b_128(name)),
                                    std::string(api::kCookieSecretBytes, 'x')};
    v1::Event signed_in = browser_session_started(name, user);
    signed_in.mutable_browser_session_started()->set_id(std::string(cookie.id.view()));
    signed_in.mutable_browser_session_started()->set_secret_hash(
        std::string(as_view(api::hash_of_cookie(cookie))));
    rig_.cell.append({signed_in});
    return {api::cookie_name(test_cluster()) + "=" + api::cookie_value(cookie),
            api::csrf_token(cookie.secret)};
  }

  std::string host(const std::string& app = "jupyter", const std::string& session = "s1") const {
    return app + "--" + to_hex(session_id(session).view()) + ".localhost:" + std::to_string(server_->port());
  }
  std::string ask_open(const Signed& who, const std::string& app = "jupyter",
                       const std::string& session = "s1") {
    RawClient client(server_->port());
    client.send("POST /v1/sessions/" + session + "/apps/" + app + "/open HTTP/1.1\r\nHost: " + here_ +
                "\r\nOrigin: http://" + here_ + "\r\nCookie: " + who.cookie +
                "\r\nX-Berth-CSRF: " + who.csrf + "\r\nContent-Length: 0\r\n\r\n");
    return client.reply();
  }
  std::string ticket(const Signed& who, const std::string& app = "jupyter",
                     const std::string& session = "s1") {
    const std::string reply = ask_open(who, app, session);
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 200 ")) << reply;
    const auto json = boost::json::parse(reply.substr(reply.find("\r\n\r\n") + 4));
    EXPECT_EQ(json.at("url").as_string(), "http://" + host(app, session) + "/");
    return std::string(json.at("ticket").as_string());
  }
  std::string exchange(const std::string& ticket, const std::string& at, const std::string& origin) {
    RawClient client(server_->port());
    const std::string body = "ticket=" + ticket;
    client.send("POST /.berth/open HTTP/1.1\r\nHost: " + at + "\r\n" +
                (origin.empty() ? "" : "Origin: " + origin + "\r\n") +
                "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.reply();
  }
  std::string exchange(const std::string& ticket) { return exchange(ticket, host(), "http://" + here_); }
  static std::string cookie_of(const std::string& reply) {
    const auto at = reply.find("Set-Cookie: ");
    EXPECT_NE(at, std::string::npos) << reply;
    return at == std::string::npos ? "" : reply.substr(at + 12, reply.find(';', at) - at - 12);
  }
  std::string let_in() { return cookie_of(exchange(ticket(alice_))); }

  std::string request(const std::string& first, const std::string& cookie, const std::string& more = "",
                      const std::string& at = "") {
    return first + " HTTP/1.1\r\nHost: " + (at.empty() ? host() : at) + "\r\nCookie: theme=dark; " + cookie +
           "\r\n" + more + "\r\n";
  }
  std::string own_origin() const { return "Origin: http://" + host() + "\r\n"; }
  // What a client is told at once, without that the app is asked.
  std::string refusal(const std::string& bytes) {
    const std::size_t before = rig_.cell.apps.opened();
    RawClient client(server_->port());
    client.send(bytes);
    const std::string reply = client.reply();
    EXPECT_EQ(rig_.cell.apps.opened(), before) << bytes;
    return reply;
  }
  std::shared_ptr<FakeApp> app(std::size_t number = 0) { return rig_.cell.apps.await(number); }

  ApiRig rig_{small_cluster() + Events{image_with_apps()} + running_lab("s1") + running_lab("s2"),
              apps_options()};
  std::unique_ptr<api::Server> server_;
  Signed alice_;
  std::string here_;
};

}  // namespace berth::testing
