// The API over TLS: what it serves, and what a hostile client cannot do to it.
#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <list>

#include "controller/api/http/server.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/api/server/http_client.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

namespace asio = boost::asio;

constexpr const char* kLive = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";

// A client that trusts any certificate. `from`: an address of this machine.
class TlsClient {
 public:
  TlsClient(std::uint16_t port, const char* from, int version_max = TLS1_3_VERSION)
      : context_(asio::ssl::context::tls_client), stream_(io_, context_) {
    SSL_set_security_level(stream_.native_handle(), 0);  // the server alone refuses
    SSL_set_min_proto_version(stream_.native_handle(), TLS1_VERSION);
    SSL_set_max_proto_version(stream_.native_handle(), version_max);
    auto& socket = stream_.next_layer();
    socket.open(asio::ip::tcp::v4());
    socket.bind({asio::ip::make_address(from), 0});
    socket.connect({asio::ip::make_address("127.0.0.1"), port});
    stream_.handshake(asio::ssl::stream_base::client, error_);
  }
  bool connected() const { return !error_; }
  // The head of the reply; empty if there is none.
  std::string ask(std::string_view request) {
    if (error_ || asio::write(stream_, asio::buffer(request), error_) == 0) return {};
    std::string reply;
    const auto size = asio::read_until(stream_, asio::dynamic_buffer(reply), "\r\n\r\n", error_);
    return reply.substr(0, size);
  }

 private:
  asio::io_context io_;
  asio::ssl::context context_;
  asio::ssl::stream<asio::ip::tcp::socket> stream_;
  boost::system::error_code error_;
};

class TlsServer : public ::testing::Test {
 protected:
  void TearDown() override { server_.reset(); }
  void start(api::ServerOptions options = {}) {
    auto files = api::load_or_create_certificate(folder_, {"localhost", "127.0.0.1"});
    ASSERT_TRUE(files.ok()) << to_string(files.error());
    options.port = 0;
    options.tls = *files;
    auto server = api::Server::start(options, rig_.api);
    ASSERT_TRUE(server.ok()) << to_string(server.error());
    server_ = std::move(*server);
  }

  std::string signed_request() {
    const auto r = rig_.request({.target = "/v1/whoami"});
    return "GET " + r.target + " HTTP/1.1\r\nHost: " + r.host + "\r\nX-Berth-Date: " + r.date +
           "\r\nX-Berth-Version: " + r.version + "\r\nX-Berth-Content-SHA256: " + r.body_hash +
           "\r\nAuthorization: " + r.authorization + "\r\n\r\n";
  }

  ApiRig rig_;
  const testing::TempDir temp_;
  const std::string folder_ = temp_.path().string();
  std::unique_ptr<api::Server> server_;
};

TEST_F(TlsServer, ServesRequests) {
  start();
  TlsClient client(server_->port(), "127.0.0.1");
  ASSERT_TRUE(client.connected());
  EXPECT_TRUE(client.ask(kLive).starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_F(TlsServer, RefusesWhatIsOlderThanTls12) {
  start();
  EXPECT_FALSE(TlsClient(server_->port(), "127.0.0.1", TLS1_1_VERSION).connected());
  EXPECT_TRUE(TlsClient(server_->port(), "127.0.0.1", TLS1_2_VERSION).connected());
}

TEST_F(TlsServer, TellsPlainHttpThatItSpeaksHttpsAndNothingElse) {
  start();
  RawClient client(server_->port());
  client.send(std::string(kLive) + kLive);
  const std::string& told = client.all();
  EXPECT_TRUE(told.starts_with("HTTP/1.1 400 ")) << told;
  EXPECT_NE(told.find("this port speaks https"), std::string::npos) << told;
  EXPECT_EQ(told.find("HTTP/", 1), std::string::npos) << told;
  EXPECT_TRUE(client.closed());
}

TEST_F(TlsServer, ClosesAHandshakeThatHangs) {
  api::ServerOptions options;
  options.header = std::chrono::seconds(1);
  start(options);
  RawClient silent(server_->port()), half(server_->port());
  half.send(std::string_view("\x16\x03\x01\x02\x00\x01", 6));
  half.all();
  silent.all();
  EXPECT_TRUE(half.closed());
  EXPECT_TRUE(silent.closed());
}

TEST_F(TlsServer, AThousandIdleConnectionsShutNobodyElseOut) {
  api::ServerOptions options;
  options.connections_max = 1'000;
  options.connections_per_address_max = 500;
  start(options);
  std::list<RawClient> idle;
  for (int i = 0; i < 1'000; ++i) idle.emplace_back(server_->port(), "127.0.0.2");
  EXPECT_TRUE(TlsClient(server_->port(), "127.0.0.1").ask(kLive).starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_F(TlsServer, TellsOneTooManySoOverTls) {
  api::ServerOptions options;
  options.connections_max = 2;
  options.connections_per_address_max = 1;
  start(options);
  TlsClient first(server_->port(), "127.0.0.1");
  EXPECT_TRUE(first.ask(signed_request()).starts_with("HTTP/1.1 200 OK\r\n"));
  TlsClient second(server_->port(), "127.0.0.1");
  EXPECT_TRUE(second.ask(kLive).starts_with("HTTP/1.1 503 "));
}

TEST_F(TlsServer, DoesNotStartWithACertificateAndTheKeyOfAnother) {
  const auto ours = api::load_or_create_certificate(folder_ + "/a", {"localhost"});
  const auto theirs = api::load_or_create_certificate(folder_ + "/b", {"localhost"});
  ASSERT_TRUE(ours.ok() && theirs.ok());
  api::ServerOptions options;
  options.port = 0;
  options.tls = api::CertificateFiles{ours->certificate, theirs->key};
  const auto server = api::Server::start(options, rig_.api);
  ASSERT_FALSE(server.ok());
  EXPECT_EQ(server.error().code, "tls-invalid");
}

}  // namespace
}  // namespace berth::testing
