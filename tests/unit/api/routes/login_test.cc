// Signing in by password and link, the cookie, and all that a browser must not get away with.
#include <gtest/gtest.h>

#include <algorithm>

#include "controller/api/auth/cookie.h"
#include "controller/api/auth/csrf.h"
#include "controller/api/auth/password.h"
#include "projections/password_mark.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

constexpr const char* kPassword = "four words make one";
constexpr const char* kToken = "a-token-of-a-link";
constexpr const char* kOrigin = "http://localhost:7410";

v1::Event password_of(const std::string& user) {
  v1::Event event = password_set(user);
  const PasswordSeal seal(test_cluster(), test_sealing_ring());
  *event.mutable_password_set()->mutable_hash() = seal.seal(user, *api::hash_password(kPassword, {8192, 1}));
  return event;
}

v1::Event link_of(const std::string& user, Duration good_for = kDay) {
  v1::Event event = login_link_issued(user);
  event.mutable_login_link_issued()->set_token_hash(std::string(as_view(blake2b_128(kToken))));
  event.mutable_login_link_issued()->set_expires_ns(kTestStart + good_for);
  return event;
}

Events with_passwords() { return small_cluster() + Events{password_of("alice"), password_of("admin")}; }

// A browser on a page of this server.
class Browser {
 public:
  explicit Browser(ApiRig& rig) : rig_(rig) {}

  api::HttpRequest request(const std::string& method, const std::string& target,
                           const std::string& body = "") {
    api::HttpRequest out;
    out.method = method;
    out.target = target;
    out.body = body;
    if (!body.empty()) out.content_type = "application/json";
    out.host = "localhost:7410";
    out.port = 7410;
    out.address = "10.0.0.7";
    out.tls = tls;
    out.sec_fetch_site = "same-origin";
    out.user_agent = "a browser";
    if (method != "GET") out.origin = kOrigin;
    if (!cookie.empty()) out.cookie = "theme=dark; " + cookie;
    if (method != "GET") out.csrf = csrf;
    return out;
  }
  api::HttpReply ask(const std::string& method, const std::string& target, const std::string& body = "") {
    return rig_.send(request(method, target, body));
  }
  api::HttpReply log_in(const std::string& user, const std::string& password = kPassword) {
    return signed_in(
        ask("POST", "/v1/login", R"({"user": ")" + user + R"(", "password": ")" + password + R"("})"));
  }
  api::HttpReply open_link(const std::string& password, const std::string& token = kToken) {
    return signed_in(
        ask("POST", "/v1/login/link", R"({"token": ")" + token + R"(", "password": ")" + password + R"("})"));
  }
  std::string whoami() {
    const auto reply = ask("GET", "/v1/whoami");
    return reply.status == 200 ? std::string(ApiRig::json_of(reply).at("user").as_string())
                               : ApiRig::code_of(reply);
  }

  std::string cookie, csrf;
  bool tls = false;

 private:
  api::HttpReply signed_in(api::HttpReply reply) {
    if (reply.status != 200) return reply;
    const std::string set = ApiRig::header_of(reply, "Set-Cookie");
    cookie = set.substr(0, set.find(';'));
    csrf = std::string(ApiRig::json_of(reply).at("user").at("csrf").as_string());
    return reply;
  }
  ApiRig& rig_;
};

std::string without_id(const std::string& body) { return body.substr(0, body.find("\"request_id\"")); }

TEST(Login, SignsABrowserInByACookieThatPagesCannotRead) {
  ApiRig rig(with_passwords());
  Browser browser(rig);
  const auto reply = browser.log_in("alice");
  ASSERT_EQ(reply.status, 200u) << reply.body;
  const std::string set = ApiRig::header_of(reply, "Set-Cookie");
  EXPECT_NE(set.find("HttpOnly; Secure; SameSite=Strict; Max-Age=1209600"), std::string::npos) << set;
  EXPECT_EQ(browser.whoami(), "alice");
  const auto me = ApiRig::json_of(browser.ask("GET", "/v1/whoami"));
  EXPECT_EQ(me.at("csrf").as_string(), browser.csrf);
  EXPECT_TRUE(me.at("access_key").is_null());
  EXPECT_TRUE(me.at("browser_session").is_string());
}

TEST(Login, AWrongUserAndAWrongPasswordHaveOneAnswer) {
  v1::Event disabled = user_defined("bob");
  disabled.mutable_user_defined()->set_disabled(true);
  ApiRig rig(with_passwords() + Events{password_of("bob"), disabled});
  Browser browser(rig);
  const auto wrong = browser.log_in("alice", "wrong password");
  EXPECT_EQ(wrong.status, 401u);
  EXPECT_EQ(ApiRig::code_of(wrong), "login-failed");
  for (const auto& [user, password] : {std::pair("nobody", kPassword), {"bob", kPassword}, {"default", "x"}})
    EXPECT_EQ(without_id(browser.log_in(user, password).body), without_id(wrong.body)) << user;
  EXPECT_NE(rig.ask({.target = "/metrics"}).body.find("berth_login_failures_total{by=\"password\"} 4"),
            std::string::npos);
}

TEST(Login, AFailureIsInTheSecurityLogOnOneLine) {
  api::ApiOptions options = quiet_options();
  std::vector<std::string> lines;
  options.sign_in.security_log = [&](const std::string& line) { lines.push_back(line); };
  ApiRig rig(with_passwords(), options);
  Browser(rig).ask("POST", "/v1/login", R"({"user": "x\nlogin failed", "password": "12345678"})");
  EXPECT_EQ(lines,
            (std::vector<std::string>{"login failed: password of user \"x\\nlogin failed\" from 10.0.0.7"}));
  EXPECT_EQ(rig.cell.submitted, 0) << "no event of it";
}

TEST(Login, NamesAndPasswordsThatCannotBeAreRefusedWithoutWork) {
  ApiRig rig(with_passwords());
  Browser browser(rig);
  for (const std::string& body :
       {std::string(R"({"user": "alice"})"),
        R"({"user": ")" + std::string(3000, 'a') + R"(", "password": "x"})",
        R"({"user": "alice", "password": ")" + std::string(2000, 'x') + R"("})", std::string("[]"),
        std::string(R"({"user": "alice", "password": "x", "role": "superadmin"})")})
    EXPECT_EQ(browser.ask("POST", "/v1/login", body).status, 400u) << body;
  EXPECT_EQ(ApiRig::code_of(browser.ask("POST", "/v1/login", std::string(10'000, ' '))), "body-too-large");
}

TEST(Login, AForeignHostOriginOrPageMaySignNobodyIn) {
  ApiRig rig(with_passwords());
  Browser browser(rig);
  const std::string body = R"({"user": "alice", "password": "four words make one"})";
  for (const char* route : {"/v1/login", "/v1/login/key", "/v1/login/link", "/v1/login/link/check"}) {
    auto request = browser.request("POST", route, body);
    request.host = request.origin = "evil.example:7410";
    EXPECT_EQ(rig.send(request).status, 421u) << route;
    request = browser.request("POST", route, body);
    request.origin = "http://evil.example";
    EXPECT_EQ(ApiRig::code_of(rig.send(request)), "foreign-origin") << route;
    request = browser.request("POST", route, body);
    request.sec_fetch_site = "cross-site";
    EXPECT_EQ(ApiRig::code_of(rig.send(request)), "foreign-origin") << route;
  }
}

TEST(Login, ManyGuessesMustWaitAndSaysHowLong) {
  ApiRig rig(with_passwords());
  Browser browser(rig);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(browser.log_in("alice", "guess").status, 401u);
  const auto reply = browser.log_in("alice");
  EXPECT_EQ(reply.status, 429u);
  EXPECT_EQ(ApiRig::code_of(reply), "too-many-logins");
  EXPECT_EQ(ApiRig::header_of(reply, "Retry-After"), "1");
  EXPECT_EQ(rig.ask({.target = "/v1/whoami", .key = "alice-key"}).status, 200u) << "key pairs are not slowed";
  rig.cell.test_clock.wall += kSecond;
  EXPECT_EQ(browser.log_in("alice").status, 200u) << "nobody is locked out";
}

TEST(Login, AProxysClientIsTheOneThatIsSlowed) {
  api::ApiOptions options = quiet_options();
  options.sign_in.trusted_proxies = {"10.0.0.7"};
  options.sign_in.origins = {"https://berth.example"};
  options.sign_in.guard.free_by_address = 1;
  ApiRig rig(with_passwords(), options);
  Browser browser(rig);
  const auto from = [&](const char* client, const char* proxy) {
    auto request = browser.request("POST", "/v1/login", R"({"user": "nobody", "password": "12345678"})");
    request.address = proxy;
    request.host = "backend";
    request.origin = "https://berth.example";
    request.forwarded_host = "berth.example";
    request.forwarded_for = client;
    return rig.send(request).status;
  };
  EXPECT_EQ(from("1.1.1.1", "10.0.0.8"), 421u) << "nobody trusts this one";
  EXPECT_EQ(from("1.1.1.1", "10.0.0.7"), 401u);
  EXPECT_EQ(from("1.1.1.1", "10.0.0.7"), 429u);
  EXPECT_EQ(from("1.1.1.2", "10.0.0.7"), 401u);
}

TEST(Login, AFloodIsRefusedAndOtherRequestsGoOn) {
  api::ApiOptions options = quiet_options();
  options.sign_in.password_cost = {64u << 20, 3};
  options.sign_in.passwords_queued_max = 2;
  options.sign_in.guard.free_by_address = 1000;
  ApiRig rig(with_passwords(), options);
  Browser browser(rig);
  std::vector<std::future<api::HttpReply>> flood;
  for (int i = 0; i < 20; ++i)
    flood.push_back(rig.send_later(browser.request(
        "POST", "/v1/login", R"({"user": "u)" + std::to_string(i) + R"(", "password": "12345678"})")));
  EXPECT_EQ(rig.ask({.target = "/v1/whoami", .key = "alice-key"}).status, 200u);
  int refused = 0;
  for (auto& reply : flood) refused += reply.get().status == 429 ? 1 : 0;
  EXPECT_GE(refused, 15);
}

// As it ships: 32 wait, of as many networks.
TEST(Login, InAFloodThirtyTwoWaitAndSessionsAreTakenMeanwhile) {
  api::ApiOptions options = quiet_options();
  options.sign_in.password_cost = {64u << 20, 3};
  ApiRig rig(with_passwords(), options);
  Browser browser(rig);
  std::vector<std::future<api::HttpReply>> flood;
  for (int i = 0; i < 80; ++i) {
    auto request = browser.request("POST", "/v1/login",
                                   R"({"user": "u)" + std::to_string(i) + R"(", "password": "12345678"})");
    request.address = "10." + std::to_string(i) + ".0.1";
    flood.push_back(rig.send_later(std::move(request)));
  }
  const auto answered = [](std::future<api::HttpReply>& reply) {
    return reply.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(rig.ask({.method = "POST",
                       .target = "/v1/sessions",
                       .body = R"({"name": "s)" + std::to_string(i) +
                               R"(", "image": "python:3.11", "resources": {"cpu": "1", "mem": "256m"}})",
                       .key = "alice-key"})
                  .status,
              201u);
  EXPECT_FALSE(std::all_of(flood.begin(), flood.end(), answered))
      << "the sessions did not wait for the flood";
  int refused = 0;
  for (auto& reply : flood) refused += reply.get().status == 429 ? 1 : 0;
  EXPECT_GE(refused, 40) << "one is checked, 32 wait, and a few were done meanwhile";
  EXPECT_LE(refused, 80 - 32);
}

TEST(BrowserSession, AWriteNeedsTheCsrfTokenAndAnOriginOfThisServer) {
  ApiRig rig(with_passwords());
  Browser browser(rig);
  browser.log_in("alice");
  const auto bent = [&](const std::function<void(api::HttpRequest&)>& bend) {
    auto request = browser.request("POST", "/v1/logout");
    bend(request);
    return ApiRig::code_of(rig.send(request));
  };
  EXPECT_EQ(bent([](auto& r) { r.csrf = ""; }), "csrf-missing");
  EXPECT_EQ(bent([](auto& r) { r.csrf = api::csrf_token(std::string(32, 'x')); }), "csrf-wrong");
  EXPECT_EQ(bent([](auto& r) { r.origin = "http://evil.example"; }), "foreign-origin");
  EXPECT_EQ(bent([](auto& r) { r.origin = "null"; }), "foreign-origin");
  EXPECT_EQ(bent([](auto& r) { r.sec_fetch_site = "same-site"; }), "foreign-origin");
  EXPECT_EQ(bent([](auto& r) { r.host = "evil.example"; }), "misdirected-request");
  EXPECT_EQ(browser.whoami(), "alice");
  EXPECT_EQ(browser.ask("POST", "/v1/logout").status, 200u);
}

TEST(BrowserSession, AForeignPageReadsNothingByTheCookie) {
  ApiRig rig(with_passwords());
  Browser browser(rig);
  browser.log_in("alice");
  auto request = browser.request("GET", "/v1/sessions");
  request.sec_fetch_site = "cross-site";
  EXPECT_EQ(ApiRig::code_of(rig.send(request)), "foreign-origin");
  request = browser.request("GET", "/v1/sessions");
  request.host = "evil.example:7410";
  EXPECT_EQ(rig.send(request).status, 421u);
}

TEST(BrowserSession, ALogoutEndsItAndClearsTheCookie) {
  ApiRig rig(with_passwords());
  Browser browser(rig);
  browser.log_in("alice");
  const auto reply = browser.ask("POST", "/v1/logout");
  EXPECT_TRUE(ApiRig::header_of(reply, "Set-Cookie").ends_with("Max-Age=0"));
  EXPECT_EQ(browser.whoami(), "signed-out");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.method = "POST", .target = "/v1/logout", .key = "alice-key"})),
            "not-a-browser-session");
}

TEST(BrowserSession, AnotherSecretIsAStaleCookie) {
  ApiRig rig(with_passwords());
  Browser browser(rig);
  browser.log_in("alice");
  const auto name = api::cookie_name(test_cluster());
  auto made = *api::find_cookie(browser.cookie, name);
  made.secret[0] = static_cast<char>(made.secret[0] ^ 1);
  browser.cookie = name + "=" + api::cookie_value(made);
  EXPECT_EQ(browser.whoami(), "signed-out");
  browser.cookie = name + "=" + std::string(8000, 'a');
  EXPECT_EQ(browser.whoami(), "credential-missing");
}

TEST(BrowserSession, WithTlsIsInACookieThatNoHostBelowSets) {
  ApiRig rig(with_passwords() + Events{user_defined("bob"), password_of("bob")});
  Browser alice(rig), bob(rig);
  alice.tls = bob.tls = true;
  alice.log_in("alice");
  bob.log_in("bob");
  ASSERT_TRUE(alice.cookie.starts_with("__Host-berth_")) << alice.cookie;
  // A page of an app below the console's host may set the name without the prefix for it, and browsers send
  // it first.
  const std::string planted = bob.cookie.substr(std::string("__Host-").size());
  alice.cookie = planted + "; " + alice.cookie;
  EXPECT_EQ(alice.whoami(), "alice");
  alice.cookie = planted;
  EXPECT_EQ(alice.whoami(), "credential-missing");
}

TEST(BrowserSession, EndsWithItsUserUnusedAndWhateverItsUse) {
  api::ApiOptions options = quiet_options();
  options.sign_in.use_every = 5 * kMinute;
  ApiRig rig(with_passwords(), options);
  const auto pass = [&rig](Duration time) {
    rig.cell.test_clock.wall += time;
    rig.cell.advance(time);
  };
  Browser idle(rig), busy(rig), disabled(rig);
  idle.log_in("alice");
  busy.log_in("alice");
  pass(7 * kHour);
  EXPECT_EQ(busy.whoami(), "alice");
  pass(6 * kHour);
  EXPECT_EQ(busy.whoami(), "alice");
  EXPECT_EQ(idle.whoami(), "signed-out");
  disabled.log_in("alice");
  for (int i = 0; i < 14 * 24 / 7; ++i) pass(7 * kHour), (void)busy.whoami();
  EXPECT_EQ(busy.whoami(), "signed-out");
  Browser fresh(rig);
  ASSERT_EQ(fresh.log_in("alice").status, 200u);
  v1::Event off = user_defined("alice");
  off.mutable_user_defined()->set_disabled(true);
  rig.cell.append({off});
  EXPECT_EQ(fresh.whoami(), "signed-out");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/whoami", .key = "alice-key"})), "user-disabled");
}

TEST(BrowserSession, AUseIsRecordedNowAndThenAndAnOpenStreamIsNone) {
  api::ApiOptions options = quiet_options();
  options.sign_in.use_every = 5 * kMinute;
  ApiRig rig(with_passwords(), options);
  Browser browser(rig);
  browser.log_in("alice");
  rig.cell.submitted = 0;
  browser.whoami();
  EXPECT_EQ(rig.cell.submitted, 0) << "it was used when it began";
  rig.cell.test_clock.wall += 6 * kMinute;
  rig.cell.advance(6 * kMinute);
  auto stream = browser.request("GET", "/v1/whoami");
  stream.accept = "text/event-stream";
  EXPECT_EQ(rig.send(stream).status, 200u);
  auto background = browser.request("GET", "/v1/whoami");
  background.background = "1";
  EXPECT_EQ(rig.send(background).status, 200u);
  EXPECT_EQ(rig.cell.submitted, 0);
  browser.whoami();
  browser.whoami();
  EXPECT_EQ(rig.cell.submitted, 1);
  EXPECT_EQ(rig.ask({.target = "/v1/whoami", .key = "bob-key"}).status, 200u);
  EXPECT_EQ(rig.ask({.target = "/v1/whoami", .key = "bob-key"}).status, 200u);
  EXPECT_EQ(rig.cell.submitted, 2) << "of a key pair, too";
}

TEST(BrowserSession, OnesOwnAreListedAndEnded) {
  ApiRig rig(with_passwords());
  Browser one(rig), two(rig), admin(rig);
  one.log_in("alice");
  two.log_in("alice");
  admin.log_in("admin");
  const auto listed =
      ApiRig::json_of(one.ask("GET", "/v1/browser-sessions")).at("browser_sessions").as_array();
  ASSERT_EQ(listed.size(), 2u);
  const bool first = listed[0].at("current").as_bool();
  const std::string other(listed[first ? 1 : 0].at("id").as_string());
  EXPECT_EQ(listed[0].at("client").as_string(), "a browser");
  EXPECT_EQ(listed[0].at("address").as_string(), "10.0.0.7");
  Browser bob(rig);
  EXPECT_EQ(ApiRig::code_of(
                rig.ask({.method = "DELETE", .target = "/v1/browser-sessions/" + other, .key = "bob-key"})),
            "unknown-browser-session");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/browser-sessions?user=alice", .key = "bob-key"})),
            "unknown-user");
  EXPECT_EQ(one.ask("DELETE", "/v1/browser-sessions/" + other).status, 200u);
  EXPECT_EQ(two.whoami(), "signed-out");
  EXPECT_EQ(one.whoami(), "alice");
  EXPECT_EQ(admin.ask("GET", "/v1/browser-sessions?user=alice").status, 200u);
}

TEST(LoginLink, SetsAPasswordOnceAndSignsIn) {
  ApiRig rig(small_cluster() + Events{link_of("alice")});
  Browser browser(rig);
  const auto check = browser.ask("POST", "/v1/login/link/check", R"({"token": "a-token-of-a-link"})");
  EXPECT_EQ(ApiRig::json_of(check).at("user").as_string(), "alice");
  EXPECT_EQ(ApiRig::code_of(browser.open_link("short")), "password-too-short");
  EXPECT_EQ(ApiRig::code_of(browser.open_link("password")), "password-too-common");
  ASSERT_EQ(browser.open_link(kPassword).status, 200u);
  EXPECT_EQ(browser.whoami(), "alice");
  Browser other(rig);
  EXPECT_EQ(ApiRig::code_of(other.open_link("another password")), "link-not-valid");
  EXPECT_EQ(other.log_in("alice", "another password").status, 401u);
  EXPECT_EQ(other.log_in("alice").status, 200u);
}

TEST(LoginLink, AnAddressFromWhichTheUserSignedInByItDoesNotWait) {
  ApiRig rig(small_cluster() + Events{link_of("alice")});
  Browser alice(rig), guesser(rig);
  ASSERT_EQ(alice.open_link(kPassword).status, 200u);
  const auto guess = [&] {
    auto request = guesser.request("POST", "/v1/login", R"({"user": "alice", "password": "guess"})");
    request.address = "10.0.0.8";
    return rig.send(request).status;
  };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(guess(), 401u);
  EXPECT_EQ(guess(), 429u);
  EXPECT_EQ(alice.log_in("alice").status, 200u);
}

TEST(LoginLink, IsNotValidWhenExpiredReplacedOrOfAUserWhoIsDisabled) {
  ApiRig rig(small_cluster() + Events{link_of("alice", kHour), link_of("bob")});
  Browser browser(rig);
  EXPECT_EQ(ApiRig::code_of(browser.open_link(kPassword, "no link")), "link-not-valid");
  v1::Event off = user_defined("bob");
  off.mutable_user_defined()->set_disabled(true);
  rig.cell.append({off, login_link_issued("alice")});
  EXPECT_EQ(ApiRig::code_of(browser.open_link(kPassword)), "link-not-valid") << "a newer one replaced it";
  rig.cell.append({link_of("alice", kHour)});
  rig.cell.test_clock.wall += kHour;
  const auto late = browser.open_link(kPassword);
  EXPECT_EQ(ApiRig::code_of(late), "link-not-valid");
  EXPECT_EQ(ApiRig::json_of(late).at("detail").as_string(),
            "this login link was good until 2023-11-14T23:13:20Z, and the cluster's time is "
            "2023-11-14T23:13:20Z");
}

TEST(LoginLink, IsMadeByAnAdministratorAndNamesTheOriginOfWhoAsks) {
  ApiRig rig;
  auto reply =
      rig.ask({.method = "POST", .target = "/v1/users/alice/link", .body = R"({"expires_in": "2h"})"});
  ASSERT_EQ(reply.status, 201u) << reply.body;
  const auto made = ApiRig::json_of(reply);
  const std::string token(made.at("token").as_string());
  EXPECT_TRUE(made.at("url").as_string().ends_with("/#/link/" + token));
  EXPECT_EQ(Browser(rig).open_link(kPassword, token).status, 200u);
  EXPECT_EQ(ApiRig::code_of(rig.ask({.method = "POST", .target = "/v1/users/alice/link", .key = "bob-key"})),
            "denied");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.method = "POST", .target = "/v1/users/nobody/link"})), "unknown-user");
  EXPECT_EQ(ApiRig::code_of(rig.ask(
                {.method = "POST", .target = "/v1/users/alice/link", .body = R"({"expires_in": "31d"})"})),
            "invalid-value");
}

TEST(LoginLink, ARepeatedRequestGetsTheSameAndAnotherBodyIsAConflict) {
  ApiRig rig;
  const auto ask = [&rig](const std::string& good_for) {
    return rig.ask({.method = "POST",
                    .target = "/v1/users/alice/link",
                    .body = R"({"expires_in": ")" + good_for + R"("})",
                    .idempotency_key = "k"});
  };
  const auto first = ask("2h");
  ASSERT_EQ(first.status, 201u) << first.body;
  rig.cell.test_clock.wall += kMinute;
  const auto again = ask("2h");
  ASSERT_EQ(again.status, 200u) << again.body;
  EXPECT_EQ(ApiRig::json_of(again).at("token"), ApiRig::json_of(first).at("token"));
  EXPECT_EQ(ApiRig::json_of(again).at("expires_at"), ApiRig::json_of(first).at("expires_at"));
  EXPECT_EQ(ApiRig::code_of(ask("3h")), "idempotency-conflict");
  const std::string token(ApiRig::json_of(again).at("token").as_string());
  EXPECT_EQ(Browser(rig).open_link(kPassword, token).status, 200u);
  EXPECT_EQ(ApiRig::code_of(ask("2h")), "link-spent");
}

TEST(LoginLink, IsMadeByTheHostsKeyPairWhichDoesNothingElse) {
  api::ApiOptions options = quiet_options();
  options.host_secret = "of the cluster's file";
  ApiRig rig(small_cluster(), options);
  const auto ask = [&rig](const std::string& method, const std::string& target, const std::string& secret) {
    auto request = rig.request({.method = method, .target = target});
    sign_request(request, "cluster", secret);
    return rig.send(request);
  };
  EXPECT_EQ(ask("POST", "/v1/users/admin/link", options.host_secret).status, 201u);
  EXPECT_EQ(ApiRig::code_of(ask("POST", "/v1/users/admin/link", "guess")), "bad-signature");
  EXPECT_EQ(ApiRig::code_of(ask("GET", "/v1/sessions", options.host_secret)), "denied");
  EXPECT_EQ(ApiRig::code_of(ask("DELETE", "/v1/sessions/x", options.host_secret)), "denied");
  ApiRig without;
  auto request = without.request({.method = "POST", .target = "/v1/users/admin/link"});
  sign_request(request, "cluster", "");
  EXPECT_EQ(ApiRig::code_of(without.send(request)), "unknown-key");
}

TEST(Password, IsChangedByItsUserAndEndsTheOtherBrowserSessions) {
  ApiRig rig(with_passwords());
  Browser here(rig), there(rig);
  here.log_in("alice");
  there.log_in("alice");
  const auto change = [&](const std::string& old, const std::string& fresh) {
    return here.ask("PUT", "/v1/users/alice/password",
                    R"({"old": ")" + old + R"(", "new": ")" + fresh + R"("})");
  };
  EXPECT_EQ(ApiRig::code_of(change("wrong", "another good one")), "wrong-password");
  EXPECT_EQ(ApiRig::code_of(change(kPassword, "alice")), "password-too-short");
  EXPECT_EQ(change(kPassword, "another good one").status, 200u);
  EXPECT_EQ(here.whoami(), "alice");
  EXPECT_EQ(there.whoami(), "signed-out");
  EXPECT_EQ(there.log_in("alice").status, 401u);
  EXPECT_EQ(there.log_in("alice", "another good one").status, 200u);
}

TEST(Password, OfAnotherUserIsNotSet) {
  ApiRig rig(with_passwords());
  const api::HttpReply by_admin = rig.ask({.method = "PUT",
                                           .target = "/v1/users/alice/password",
                                           .body = R"({"old": "x", "new": "another good one"})"});
  EXPECT_EQ(ApiRig::code_of(by_admin), "denied");
  const api::HttpReply by_bob =
      rig.ask({.method = "PUT", .target = "/v1/users/alice/password", .key = "bob-key"});
  EXPECT_EQ(ApiRig::code_of(by_bob), "unknown-user");
}

TEST(LoginForKey, AnIdempotencyKeyThatWasUsedBeforeGivesAKeyPairThatSigns) {
  ApiRig rig(with_passwords());
  Browser browser(rig);
  auto request = browser.request(
      "POST", "/v1/login/key",
      R"({"user": "alice", "password": ")" + std::string(kPassword) + R"(", "name": "host"})");
  request.idempotency_key = "k";
  for (int i = 0; i < 2; ++i) {
    const auto reply = rig.send(request);
    ASSERT_EQ(reply.status, 201u) << reply.body;
    const std::string id(ApiRig::json_of(reply).at("access_key").as_string());
    auto signed_by_it = rig.request({.target = "/v1/whoami", .key = id});
    sign_request(signed_by_it, id, std::string(ApiRig::json_of(reply).at("secret_key").as_string()));
    EXPECT_EQ(rig.send(signed_by_it).status, 200u);
  }
}

TEST(LoginForKey, APasswordThatIsChangedMeanwhileMakesNoKeyPair) {
  ApiRig rig(with_passwords());
  v1::Request reset;
  reset.set_id(std::string(16, 'r'));
  reset.set_actor("controller");
  reset.set_sent_ms(kTestStart / kMillisecond);
  reset.mutable_set_password()->set_user("alice");
  *reset.mutable_set_password()->mutable_hash() = password_of("bob").password_set().hash();
  rig.cell.with_state([&](const controller::StateView& view) {
    const auto mark = projections::password_mark(view.state.passwords.find("alice")->def);
    reset.mutable_set_password()->set_replaces(std::string(mark.view()));
  });
  rig.cell.on_submit = [&](const v1::Request& request) {
    if (request.has_add_key_pair()) (void)rig.cell.submit(reset, [](const auto&) {});
  };
  const auto reply = Browser(rig).ask(
      "POST", "/v1/login/key", R"({"user": "alice", "password": "four words make one", "name": "laptop"})");
  EXPECT_EQ(ApiRig::code_of(reply), "login-failed");
  rig.cell.with_state([](const controller::StateView& view) {
    view.state.key_pairs.for_each_unordered(
        [](const projections::KeyPairRow& row) { EXPECT_NE(row.def.name(), "laptop"); });
  });
}

TEST(LoginForKey, SaysThatAMonitorsKeyPairReads) {
  ApiRig rig(with_passwords() + Events{user_with_role("alice", "monitor")});
  const auto reply = Browser(rig).ask(
      "POST", "/v1/login/key", R"({"user": "alice", "password": "four words make one", "name": "laptop"})");
  ASSERT_EQ(reply.status, 201u) << reply.body;
  EXPECT_TRUE(ApiRig::json_of(reply).at("user").at("read_only").as_bool());
}

TEST(LoginForKey, MakesAKeyPairThatSignsUntilItExpires) {
  ApiRig rig(with_passwords());
  Browser cli(rig);
  const auto reply = cli.ask("POST", "/v1/login/key",
                             R"({"user": "alice", "password": "four words make one", "name": "laptop"})");
  ASSERT_EQ(reply.status, 201u) << reply.body;
  const auto made = ApiRig::json_of(reply);
  auto request = rig.request({.target = "/v1/whoami"});
  const std::string key(made.at("access_key").as_string()), secret(made.at("secret_key").as_string());
  sign_request(request, key, secret);
  EXPECT_EQ(ApiRig::json_of(rig.send(request)).at("user").as_string(), "alice");
  rig.cell.with_state([&](const controller::StateView& view) {
    const auto& def = view.state.key_pairs.find(key)->def;
    EXPECT_EQ(def.name(), "laptop");
    EXPECT_EQ(def.expires_ns() / kDay, (kTestStart + 90 * kDay) / kDay);
  });
  EXPECT_EQ(ApiRig::code_of(cli.ask("POST", "/v1/login/key",
                                    R"({"user": "alice", "password": "wrong", "name": "laptop"})")),
            "login-failed");
}

}  // namespace
}  // namespace berth::testing
