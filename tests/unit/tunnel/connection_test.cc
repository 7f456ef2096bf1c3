// The connection: who gets one, what ends it, and that everybody is told.
#include <openssl/ssl.h>
#include <algorithm>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <future>
#include <thread>

#include "events/tunnel/tls.h"
#include "tests/unit/tunnel/rig.h"

namespace berth::tunnel {
namespace {

class TunnelConnection : public TunnelTest {
 protected:
  // Short limits, so that nothing waits for seconds.
  static Limits short_limits() {
    Limits limits;
    limits.handshake_max = 200 * kMillisecond;
    limits.ping_every = 20 * kMillisecond;
    limits.silence_max = 100 * kMillisecond;
    limits.pause_max = kMillisecond;
    return limits;
  }
  // Connects without the tunnel's client and sends `bytes`; true: the server closes the connection.
  bool closes_on(const std::string& address, const std::string& bytes) {
    tcp::socket socket(io);
    socket.connect(local(port_of(address)));
    asio::write(socket, asio::buffer(bytes));
    return closes(socket);
  }
  template <class Socket> bool closes(Socket& socket) {
    bool closed = false;
    std::array<char, 4096> buffer{};
    std::function<void()> read = [&] {
      socket.async_read_some(asio::buffer(buffer), [&](const error_code& error, std::size_t) {
        closed = bool(error);
        if (!error) read();
      });
    };
    read();
    return until([&] { return closed; });
  }
};

TEST_F(TunnelConnection, AnotherKeyGenerationAgentOrClusterIsRefusedInTheHandshakeAndCounted) {
  const std::string address = serve(agent_signer(2));
  const std::vector<Signer> wrong = {
      agent_signer(2, "a1", 0xC1, "another secret"),
      agent_signer(1),
      agent_signer(3),
      agent_signer(2, "a2"),
      agent_signer(2, "a1", 0xC2),
      Signer(cluster_of(0xC2), "agent:a1", 2, agent_signer(2).key()),
      Signer(cluster_of(0xC1), "agent:a1", 2, agent_signer(1).key()),
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    connect(address, wrong[i]);
    EXPECT_EQ(error_of_a_stream(), kRefused) << i;
    EXPECT_TRUE(until([&] { return server->counts().refused == i + 1; })) << i;
    EXPECT_EQ(client->counts().refused, 1u);
  }
  EXPECT_TRUE(asked.empty());
  connect(address, agent_signer(2));
  const auto good = pair();
  EXPECT_EQ(server->counts().connections, 1u);
}

// As a server that knows no key, but has a certificate of its own.
TEST_F(TunnelConnection, AServerWithACertificateInsteadOfTheKeyIsRefused) {
  asio::ssl::context context(asio::ssl::context::tls_server);
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  X509* const certificate = X509_new();
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_sign(certificate, key, EVP_sha256());
  SSL_CTX_use_certificate(context.native_handle(), certificate);
  SSL_CTX_use_PrivateKey(context.native_handle(), key);
  X509_free(certificate);
  EVP_PKEY_free(key);
  tcp::acceptor acceptor(io, local(0));
  std::optional<asio::ssl::stream<tcp::socket>> taken;
  acceptor.async_accept([&](const error_code&, tcp::socket socket) {
    taken.emplace(std::move(socket), context);
    taken->async_handshake(asio::ssl::stream_base::server, [](const error_code&) {});
  });
  connect("127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()));
  EXPECT_EQ(error_of_a_stream(), kRefused);
}

TEST_F(TunnelConnection, AClientWithoutAKeyOrWithOlderTlsIsRefused) {
  const std::string address = serve();
  std::uint64_t refused = 0;
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    asio::ssl::context context(asio::ssl::context::tls_client);
    SSL_CTX_set_max_proto_version(context.native_handle(), version);
    asio::ssl::stream<tcp::socket> stream(io, context);
    stream.next_layer().connect(local(port_of(address)));
    std::optional<error_code> result;
    stream.async_handshake(asio::ssl::stream_base::client, [&](const error_code& error) { result = error; });
    ASSERT_TRUE(until([&] { return result.has_value(); }));
    EXPECT_TRUE(*result) << version;
    EXPECT_TRUE(until([&] { return server->counts().refused == refused + 1; }));
    ++refused;
  }
}

TEST_F(TunnelConnection, TheHandshakeHasForwardSecrecy) {
  const std::string address = serve();
  Tls tls(agent_signer(), Role::kClient);
  asio::ssl::stream<tcp::socket> stream(io, tls.context());
  stream.next_layer().connect(local(port_of(address)));
  std::optional<error_code> result;
  stream.async_handshake(asio::ssl::stream_base::client, [&](const error_code& error) { result = error; });
  ASSERT_TRUE(until([&] { return result.has_value(); }));
  ASSERT_FALSE(*result) << result->message();
  EXPECT_TRUE(Tls::proved(stream.native_handle()));
  // By its group, not by the peer's key: that of X25519MLKEM768 (OpenSSL 3.5) cannot be had.
  EXPECT_NE(SSL_get_negotiated_group(stream.native_handle()), NID_undef)
      << "psk_ke alone has no key exchange";
}

TEST_F(TunnelConnection, GarbageInsteadOfTlsIsRefusedAndCounted) {
  const std::string address = serve();
  EXPECT_TRUE(closes_on(address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_TRUE(closes_on(address, std::string(10'000, '\xff')));
  EXPECT_EQ(server->counts().refused, 2u);
  tcp::acceptor acceptor(io, local(0));
  tcp::socket speaks_no_tls(io);
  acceptor.async_accept(speaks_no_tls, [&](const error_code&) {
    asio::write(speaks_no_tls, asio::buffer(std::string("SSH-2.0-OpenSSH_9.2\r\n")));
  });
  connect("127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()));
  EXPECT_EQ(error_of_a_stream(), kRefused);
}

TEST_F(TunnelConnection, GarbageInsteadOfHttpEndsTheConnectionAndIsCounted) {
  const std::string address = serve();
  Tls tls(agent_signer(), Role::kClient);
  asio::ssl::stream<tcp::socket> stream(io, tls.context());
  stream.next_layer().connect(local(port_of(address)));
  bool proved = false;
  stream.async_handshake(asio::ssl::stream_base::client, [&](const error_code& error) { proved = !error; });
  ASSERT_TRUE(until([&] { return proved; }));
  asio::write(stream, asio::buffer(std::string(1000, '?')));
  EXPECT_TRUE(closes(stream.next_layer()));
  EXPECT_TRUE(until([&] { return server->counts().broken == 1; }));
  EXPECT_EQ(server->counts().connections, 0u);
}

TEST_F(TunnelConnection, ACutTellsEveryStreamWithinASecondAndTheNextOneConnectsAnew) {
  const std::string address = serve();
  Relay relay(io, port_of(address));
  connect(relay.address());
  std::vector<std::pair<std::unique_ptr<Opened>, std::shared_ptr<Stream>>> streams;
  std::vector<Outcome<std::string>> far(50);
  for (int i = 0; i < 50; ++i) streams.push_back(pair());
  for (std::size_t i = 0; i < 50; ++i) {
    streams[i].first->stream->read(streams[i].first->read.take());
    streams[i].second->read(far[i].take());
    streams[i].second->write(std::string(kBufferedBytesMax, 'x'), streams[i].first->write.take());
  }
  const auto cut = std::chrono::steady_clock::now();
  relay.cut();
  ASSERT_TRUE(until([&] {
    return std::all_of(streams.begin(), streams.end(),
                       [](auto& one) { return one.first->over.calls() == 1; }) &&
           std::all_of(far.begin(), far.end(), [](auto& one) { return one.calls() == 1; });
  }));
  EXPECT_LT(std::chrono::steady_clock::now() - cut, std::chrono::seconds(1));
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(streams[i].first->over.code(), kLost);
    EXPECT_EQ(far[i].code(), kLost);
    EXPECT_EQ(read(*streams[i].first->stream).error().code, kLost);
  }
  EXPECT_EQ(client->counts().streams, 0u);
  EXPECT_EQ(client->counts().buffered, 0u);
  connect(address);
  const auto first = pair();
  server->stop();
  ASSERT_TRUE(until([&] { return first.first->over.calls() == 1; }));
  EXPECT_EQ(first.first->over.code(), kLost);
}

TEST_F(TunnelConnection, AFrozenPeerIsNoticedByBothSides) {
  const std::string address = serve(agent_signer(), short_limits());
  Relay relay(io, port_of(address));
  connect(relay.address(), agent_signer(), short_limits());
  const auto [near, far] = pair();
  Outcome<std::string> reading;
  far->read(reading.take());
  relay.freeze();
  ASSERT_TRUE(until([&, &over = near->over] { return over.calls() == 1 && reading.calls() == 1; }));
  EXPECT_EQ(near->over.code(), kTimeout);
  EXPECT_EQ(reading.code(), kTimeout);
}

TEST_F(TunnelConnection, AnIdleConnectionIsKeptByItsPings) {
  Limits limits = short_limits();
  connect(serve(agent_signer(), limits), agent_signer(), limits);
  const auto [near, far] = pair();
  asio::steady_timer later(io, std::chrono::nanoseconds(4 * limits.silence_max));
  bool passed = false;
  later.async_wait([&](const error_code&) { passed = true; });
  ASSERT_TRUE(until([&] { return passed; }));
  EXPECT_EQ(near->over.calls(), 0);
  ASSERT_TRUE(write(*far, "still here").ok());
  EXPECT_EQ(*read(*near->stream), "still here");
}

TEST_F(TunnelConnection, AConnectionThatNobodyUsesEndsAndTheNextStreamMakesAnother) {
  Limits limits = short_limits();
  limits.idle_max = 100 * kMillisecond;
  connect(serve(agent_signer(), limits), agent_signer(), limits);
  pair();
  ASSERT_TRUE(until([&] { return client->counts().connections == 0; }));
  ASSERT_TRUE(until([&] { return server->counts().connections == 0; }));
  pair();
  EXPECT_EQ(client->counts().connections, 1u);
}

TEST_F(TunnelConnection, AHandshakeThatNeverComesEndsAtItsLimitOnBothSides) {
  tcp::acceptor silent(io, local(0));
  connect("127.0.0.1:" + std::to_string(silent.local_endpoint().port()), agent_signer(), short_limits());
  EXPECT_EQ(error_of_a_stream(), kTimeout);
  const std::string address = serve(agent_signer(), short_limits());
  EXPECT_TRUE(closes_on(address, ""));
  EXPECT_EQ(server->counts().refused, 0u);
}

TEST_F(TunnelConnection, WhoNeverProvesTheKeyKeepsNobodyOut) {
  Limits limits;
  limits.handshakes_max = 3;
  const std::string address = serve(agent_signer(), limits);
  std::vector<tcp::socket> idle;
  for (int i = 0; i < 10; ++i) {
    idle.emplace_back(io);
    idle.back().connect(local(port_of(address)));
  }
  connect(address);
  const auto good = pair();
  EXPECT_TRUE(closes(idle.front()));
}

TEST_F(TunnelConnection, ManyStreamsWaitForOneHandshake) {
  const std::string address = serve();
  Relay relay(io, port_of(address));  // takes one connection
  connect(relay.address());
  std::vector<std::unique_ptr<Opened>> waiting;
  for (int i = 0; i < 100; ++i) waiting.push_back(open({"GET", "/" + std::to_string(i), {}}));
  ASSERT_TRUE(until([&] { return asked.size() == 100; }));
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(asked[static_cast<std::size_t>(i)].question.path, "/" + std::to_string(i));
  EXPECT_EQ(server->counts().connections, 1u);
}

TEST_F(TunnelConnection, AnAgentThatIsNotThereIsAskedAgainAfterAPause) {
  const std::string address = serve();
  server->stop();
  server = nullptr;
  while (io.poll_one() > 0) io.restart();
  connect(address);
  EXPECT_EQ(error_of_a_stream(), kLost);
  EXPECT_EQ(error_of_a_stream(), kLost) << "told at once";
  server = std::make_unique<Server>(io, agent_signer(), [](Question, const std::shared_ptr<Stream>& stream) {
    stream->answer({});
    stream->finish();
  });
  ASSERT_TRUE(server->start(address).ok());
  EXPECT_TRUE(until([&] { return error_of_a_stream() == "(good)"; }));
  for (const char* none : {"", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000", "a-host:7411", "[::1:7411"}) {
    connect(none);
    EXPECT_EQ(error_of_a_stream(), kLost) << none;
  }
}

TEST_F(TunnelConnection, AddressesThatCannotBeServedAreNamed) {
  const std::string address = serve();
  Server second(io, agent_signer(), [](const Question&, const std::shared_ptr<Stream>&) {});
  EXPECT_EQ(second.start(address).error().code, "port-in-use");
  EXPECT_EQ(second.start("nowhere").error().code, "address-invalid");
}

// Threads of their own, as in the programs.
TEST(TunnelStop, NoHandlerIsCalledAfterStopWhileStreamsAreOpen) {
  for (const bool client_first : {true, false}) {
    asio::io_context io;
    auto work = asio::make_work_guard(io);
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back([&] { io.run(); });
    std::atomic<bool> client_stopped{false};
    std::atomic<bool> server_stopped{false};
    std::atomic<int> late{0};
    std::atomic<int> running{0};
    std::function<void(std::shared_ptr<Stream>, std::atomic<bool>&)> pump;
    pump = [&](std::shared_ptr<Stream> stream, std::atomic<bool>& stopped) {
      auto& s = *stream;
      s.write("tick", [&, stream](Result<void> done) {
        if (stopped) ++late;
        if (done) pump(stream, stopped);
      });
      s.read([&, stream](const Result<std::string>&) {
        if (stopped) ++late;
        ++running;
      });
    };
    Server server(io, agent_signer(), [&](const Question&, const std::shared_ptr<Stream>& stream) {
      if (server_stopped) ++late;
      stream->answer({});
      pump(stream, server_stopped);
    });
    Client client(boost::asio::make_strand(io), agent_signer(), *server.start("127.0.0.1:0"));
    for (int i = 0; i < 20; ++i) {
      const auto stream = client.open({"GET", "/", {}}, [&](const Result<Answer>&) {
        if (client_stopped) ++late;
      });
      pump(stream, client_stopped);
    }
    while (running < 1000) std::this_thread::yield();
    const auto stop_client = [&] {
      client.stop();
      client_stopped = true;
    };
    if (client_first) stop_client();
    server.stop();
    server_stopped = true;
    stop_client();
    client.stop();  // again does nothing
    work.reset();
    for (auto& thread : threads) thread.join();  // nothing is left to do
    EXPECT_EQ(late, 0);
    EXPECT_EQ(client.counts().connections, 0u);
    EXPECT_EQ(server.counts().streams, 0u);
  }
}

}  // namespace
}  // namespace berth::tunnel
