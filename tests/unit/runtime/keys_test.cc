// Key pairs live in the journal (P29): one that a cluster's first server made is good on every server.
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>

#include "controller/api/auth/host_key.h"
#include "controller/api/auth/signature.h"
#include "controller/api/map/time_text.h"
#include "controller/runtime/controller_process.h"
#include "events/base/files/private_files.h"
#include "tests/support/log/threaded_memory_log.h"
#include "tests/support/sealing.h"
#include "tests/support/temp_dir.h"

namespace berth::testing {
namespace {

namespace api = controller::api;

// A controller with its HTTP API, on a log that outlives it and a folder of its own.
class Server {
 public:
  Server(EventLog& log, const std::string& name, char secret = 's', SealingRing ring = test_sealing_ring())
      : log_(log), name_(name) {
    make(secret, std::move(ring));
  }

  // The same on the same folder; not started.
  void make_again(SealingRing ring) {
    process_.reset();
    make('s', std::move(ring));
  }
  controller::ControllerProcess& process() { return *process_; }
  std::string key_path() const { return api::admin_key_path(folder_.path().string()); }
  api::KeyPair key() const {
    const auto key = api::read_key_file(key_path());
    return key ? *key : api::KeyPair{};
  }
  bool start() { return process_->start().ok(); }
  bool start_and_define() { return start() && process_->define_defaults(kMinute).ok(); }
  bool holds(const std::function<bool(const projections::State&)>& test) {
    bool result = false;
    process_->api().with_state([&](const controller::StateView& view) { result = test(view.state); });
    return result;
  }
  bool await(const std::function<bool(const projections::State&)>& test) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!holds(test) && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return holds(test);
  }

  // The status of the reply to a request that this key signs, and all behind it.
  std::pair<unsigned, std::string> ask(const api::KeyPair& key, const std::string& method,
                                       const std::string& target, const std::string& body = "") {
    const std::string host = process_->endpoint().substr(std::string_view("http://").size());
    const std::string date = format_time(process_->api().clock().now().wall);
    const std::string hash = api::sha256_hex(body), type = body.empty() ? "" : "application/json";
    const std::string signature =
        api::sign(key.secret_key, {method, target, date, host, type, api::kApiVersion, "", hash});
    const auto colon = host.find(':');
    boost::asio::ip::tcp::iostream server(host.substr(0, colon), host.substr(colon + 1));
    server.expires_after(std::chrono::seconds(60));
    server << method << " " << target << " HTTP/1.1\r\nHost: " << host << "\r\nX-Berth-Date: " << date
           << "\r\nX-Berth-Version: " << api::kApiVersion << "\r\nX-Berth-Content-SHA256: " << hash
           << "\r\nAuthorization: " << api::authorization_header(key.access_key, signature);
    if (!type.empty()) server << "\r\nContent-Type: " << type << "\r\nContent-Length: " << body.size();
    server << "\r\nConnection: close\r\n\r\n" << body << std::flush;
    std::string version;
    unsigned status = 0;
    server >> version >> status;
    return {status, std::string(std::istreambuf_iterator<char>(server), {})};
  }

 private:
  static controller::ControllerProcessConfig config(const std::string& data, const std::string& name) {
    controller::ControllerProcessConfig out;
    out.data = data;
    out.name = name;
    out.listening.port = 0;
    return out;
  }

  void make(char secret, SealingRing ring) {
    process_.emplace(config(folder_.path().string(), name_),
                     controller::ClusterIdentity{test_cluster(), std::string(32, secret), std::move(ring)},
                     log_, log_);
  }

  EventLog& log_;
  const std::string name_;
  const TempDir folder_;
  std::optional<controller::ControllerProcess> process_;
};

constexpr char kLimit[] = "/v1/limits/user/admin";

TEST(Keys, OneIsGoodOnEveryServerAndOutlivesTheOneThatMadeIt) {
  ThreadedMemoryLog log;
  Server first(log, "c1"), second(log, "c2");
  ASSERT_TRUE(first.start_and_define());
  ASSERT_TRUE(second.start_and_define());
  const api::KeyPair key = first.key();
  for (Server* server : {&first, &second}) {
    const auto [status, body] = server->ask(key, "PUT", kLimit, R"({"sessions": 5})");
    EXPECT_EQ(status, 200u) << body;
  }
  first.process().stop();
  const auto [status, body] = second.ask(key, "PUT", kLimit, R"({"sessions": 6})");
  EXPECT_EQ(status, 200u) << body;
}

TEST(Keys, AServerThatJoinsMakesNoneAndDefinesNothingAnew) {
  ThreadedMemoryLog log;
  Server first(log, "c1"), second(log, "c2");
  ASSERT_TRUE(first.start_and_define());
  const auto [status, body] =
      first.ask(first.key(), "POST", "/v1/groups", R"({"name": "default", "order": "lifo"})");
  ASSERT_EQ(status, 201u) << body;
  ASSERT_TRUE(second.start_and_define());
  EXPECT_FALSE(second.process().has_key_file());
  EXPECT_FALSE(std::filesystem::exists(second.key_path()));
  EXPECT_TRUE(second.holds([](const projections::State& state) {
    return state.key_pairs.size() == 1 && state.groups.find("default")->def.order() == "lifo";
  }));
}

// What it acknowledged would be void for every other reader.
TEST(Keys, AServerWithAnotherSecretThanTheJournalsIsRefused) {
  ThreadedMemoryLog log;
  Server first(log, "c1"), other(log, "c2", 'x');
  ASSERT_TRUE(first.start_and_define());
  const auto started = other.process().start();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code, "cluster-secret-wrong");
}

TEST(Keys, P29_AServerWhoseSealingKeysOpenNotWhatTheLogHoldsIsRefused) {
  SealingRing wrong, none;
  wrong.add({1, std::string(kSealKeyBytes, 'x')});
  none.add({2, std::string(kSealKeyBytes, 's')});
  ThreadedMemoryLog log;
  Server first(log, "c1"), other(log, "c2", 's', wrong);
  ASSERT_TRUE(first.start_and_define());
  ASSERT_TRUE(first.await([](const projections::State& state) { return state.key_pairs.size() == 1; }));
  const auto joined = other.process().start();  // its folder is empty: it may not know yet
  const Error refused = joined.ok() ? other.process().define_defaults(kMinute).error() : joined.error();
  EXPECT_EQ(refused.code, "sealing-keys-wrong");
  for (const SealingRing& ring : {wrong, none}) {
    first.make_again(ring);
    const auto started = first.process().start();
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().code, "sealing-keys-wrong");
  }
  first.make_again(test_sealing_ring());
  EXPECT_TRUE(first.start_and_define());
}

// The link lies in a file of this user alone where no terminal shows it.
TEST(FirstLogin, ALinkIsOfferedUntilASuperadminHasAPassword) {
  ThreadedMemoryLog log;
  Server server(log, "c1");
  ASSERT_TRUE(server.start_and_define());
  const auto file = server.process().offer_login_link(false, kMinute);
  ASSERT_TRUE(file);
  const auto kept = read_private_file(*file, "login-link", "");
  ASSERT_TRUE(kept);
  const auto shown = server.process().offer_login_link(true, kMinute);
  EXPECT_EQ(*shown + "\n", *kept) << "the one that lies there is still good";
  const std::string token = shown->substr(shown->rfind('/') + 1);
  const auto [status, reply] =
      server.ask({"nobody", "x", ""}, "POST", "/v1/login/link",
                 R"({"token": ")" + token + R"(", "password": "four words make one"})");
  EXPECT_EQ(status, 200u) << reply;
  EXPECT_NE(reply.find("\r\nSet-Cookie: berth_"), std::string::npos);
  EXPECT_EQ(*server.process().offer_login_link(false, kMinute), "");
  EXPECT_FALSE(std::filesystem::exists(*file));
}

TEST(FirstLogin, TheClustersFileMakesALinkAtAnyTime) {
  ThreadedMemoryLog log;
  Server server(log, "c1");
  ASSERT_TRUE(server.start_and_define());
  const api::KeyPair host{"cluster", api::host_secret_key(std::string(32, 's')), ""};
  const auto [status, reply] = server.ask(host, "POST", "/v1/users/admin/link");
  EXPECT_EQ(status, 201u) << reply;
  EXPECT_NE(reply.find(server.process().endpoint() + "/#/link/"), std::string::npos) << reply;
}

}  // namespace
}  // namespace berth::testing
