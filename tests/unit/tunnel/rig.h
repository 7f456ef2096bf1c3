// A server, a client and a relay between them, on one io_context that the test itself runs: no threads, no
// sleeps.
#pragma once

#include <gtest/gtest.h>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "events/tunnel/client.h"
#include "events/tunnel/server.h"

namespace berth::tunnel {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

inline Uuid cluster_of(std::uint8_t byte) {
  Uuid cluster;
  cluster.bytes.fill(byte);
  return cluster;
}

inline Signer agent_signer(std::uint32_t generation = 1, const std::string& agent = "a1",
                           std::uint8_t cluster = 0xC1, const std::string& secret = "secret") {
  const std::string writer = "agent:" + agent;
  return {cluster_of(cluster), writer, generation, derive_key(secret, writer, generation)};
}

inline std::uint16_t port_of(const std::string& address) {
  return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

inline tcp::endpoint local(std::uint16_t port) { return {asio::ip::make_address("127.0.0.1"), port}; }

// Runs the io_context until `reached`, at most 20 s: false.
template <class Reached> bool run_until(asio::io_context& io, Reached reached) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!reached()) {
    io.restart();
    if (std::chrono::steady_clock::now() > limit) return false;
    io.run_one_for(std::chrono::milliseconds(100));
  }
  return true;
}

// What came of one call. Its handler may be called after the outcome is gone.
template <class T> class Outcome {
 public:
  auto take() {
    return [given = given_](Result<T> result) { given->push_back(std::move(result)); };
  }
  std::size_t calls() const { return given_->size(); }
  bool ok() const { return calls() > 0 && result().ok(); }
  const Result<T>& result() const { return given_->at(0); }
  std::string code() const {
    return calls() == 0 ? "(none)" : ok() ? "(good)" : result().error().code.word();
  }

 private:
  std::shared_ptr<std::vector<Result<T>>> given_ = std::make_shared<std::vector<Result<T>>>();
};

struct Asked {
  Question question;
  std::shared_ptr<Stream> stream;
};

// A stream that a test opened, and what came of it.
struct Opened {
  Outcome<Answer> answer;
  Outcome<std::string> read;
  Outcome<void> write;
  Outcome<void> over;
  std::shared_ptr<Stream> stream;
};

class TunnelTest : public ::testing::Test {
 protected:
  std::string serve(const Signer& as = agent_signer(), Limits limits = {}) {
    server = std::make_unique<Server>(
        io, as,
        [this](Question question, std::shared_ptr<Stream> stream) {
          if (question.path == "/echo") return echo(std::move(stream));
          asked.push_back({std::move(question), std::move(stream)});
        },
        limits);
    const auto started = server->start("127.0.0.1:0");
    EXPECT_TRUE(started.ok());
    return started.ok() ? *started : "";
  }
  void connect(const std::string& address, const Signer& as = agent_signer(), Limits limits = {}) {
    client = std::make_unique<Client>(boost::asio::make_strand(io), as, address, limits);
  }
  std::unique_ptr<Opened> open(Question question = {"GET", "/", {}}) {
    auto opened = std::make_unique<Opened>();
    opened->stream = client->open(std::move(question), opened->answer.take());
    opened->stream->when_over(opened->over.take());
    return opened;
  }
  // Both ends of a stream that was opened and answered.
  std::pair<std::unique_ptr<Opened>, std::shared_ptr<Stream>> pair(std::string path = "/") {
    auto near = open({"POST", std::move(path), {}});
    EXPECT_TRUE(until([&] { return !asked.empty(); }));
    auto far = asked.front().stream;
    asked.pop_front();
    far->answer({});
    EXPECT_TRUE(until([&] { return near->answer.calls() == 1; }));
    return {std::move(near), std::move(far)};
  }
  template <class Reached> bool until(Reached reached) { return run_until(io, reached); }
  Result<std::string> read(Stream& stream) {
    Outcome<std::string> outcome;
    stream.read(outcome.take());
    EXPECT_TRUE(until([&] { return outcome.calls() == 1; }));
    return outcome.calls() == 1 ? outcome.result() : make_error("internal-error", "nothing was read");
  }
  Result<void> write(Stream& stream, std::string bytes) {
    Outcome<void> outcome;
    stream.write(std::move(bytes), outcome.take());
    EXPECT_TRUE(until([&] { return outcome.calls() == 1; }));
    return outcome.calls() == 1 ? outcome.result() : make_error("internal-error", "nothing was written");
  }
  std::string error_of_a_stream() {
    const auto opened = open();
    EXPECT_TRUE(until([&] { return opened->answer.calls() == 1; }));
    return opened->answer.code();
  }

  // Gives back what it reads until it is ended or fails.
  static void echo(std::shared_ptr<Stream> stream) {
    stream->answer({});
    echo_next(std::move(stream));
  }
  static void echo_next(std::shared_ptr<Stream> stream) {
    auto& s = *stream;
    s.read([stream = std::move(stream)](Result<std::string> bytes) mutable {
      if (!bytes) return;
      if (bytes->empty()) return stream->finish();
      auto& held = *stream;
      held.write(std::move(*bytes), [stream = std::move(stream)](Result<void> done) mutable {
        if (done) echo_next(std::move(stream));
      });
    });
  }

  asio::io_context io;
  std::deque<Asked> asked;
  std::unique_ptr<Server> server;
  std::unique_ptr<Client> client;
};

// Copies bytes between who connects to it and `to`, until it is cut or frozen.
class Relay {
 public:
  Relay(asio::io_context& io, std::uint16_t to) : acceptor_(io, local(0)), near_(io), far_(io) {
    acceptor_.async_accept(near_, [this, to](const error_code& error) {
      if (error) return;
      far_.connect(local(to));
      near_.set_option(tcp::no_delay(true));
      far_.set_option(tcp::no_delay(true));
      copy(near_, far_, there_);
      copy(far_, near_, back_);
    });
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()); }
  void cut() {
    near_.close();
    far_.close();
  }
  // From now on nothing goes through, and nobody is told.
  void freeze() { frozen_ = true; }

 private:
  using Buffer = std::array<char, 64 << 10>;
  void copy(tcp::socket& from, tcp::socket& to, Buffer& buffer) {
    from.async_read_some(asio::buffer(buffer), [&, this](const error_code& error, std::size_t size) {
      if (error || frozen_) return;
      asio::async_write(to, asio::buffer(buffer, size), [&, this](const error_code& failed, std::size_t) {
        if (!failed) copy(from, to, buffer);
      });
    });
  }

  tcp::acceptor acceptor_;
  tcp::socket near_;
  tcp::socket far_;
  Buffer there_;
  Buffer back_;
  bool frozen_ = false;
};

}  // namespace berth::tunnel
