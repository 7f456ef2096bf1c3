// Clients of an API server over loopback, all on one thread: so many that ask and ask, and watchers of rows.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace berth::bench {

// A socket and what came on it that was not taken yet.
class Client {
 public:
  explicit Client(std::uint16_t port);
  ~Client();
  Client(Client&& other) noexcept : fd_(std::exchange(other.fd_, -1)), read_(std::move(other.read_)) {}
  int fd() const { return fd_; }
  void send(std::string_view bytes);
  // What is there now; waits for the first byte.
  void read();
  std::string& bytes() { return read_; }

 private:
  int fd_;
  std::string read_;
};

struct LoadResult {
  double per_s = 0;
  double cpu_us = 0;           // of the process but the clients' thread, a reply
  std::size_t body_bytes = 0;  // of the last reply
  std::string body;
};

// Sends the requests by turns for so long, one at a time on each connection. A reply of another status ends
// the benchmark; an empty one takes any.
LoadResult load(std::uint16_t port, std::size_t connections, const std::vector<std::string>& requests,
                double seconds, std::string_view status = "200");

// Streams of GET /v1/watch.
class Watchers {
 public:
  // Told on the watchers' thread of each put of a session: its id as text, and when it came.
  using OnPut = std::function<void(std::size_t watcher, std::string_view id, std::int64_t at)>;
  // One watcher for each request. Returns when all are told something: from then on they miss nothing.
  Watchers(std::uint16_t port, const std::vector<std::string>& requests, OnPut on_put);
  ~Watchers();
  Watchers(const Watchers&) = delete;

 private:
  void run();
  void take(std::size_t watcher, std::int64_t now);

  const OnPut on_put_;
  std::vector<Client> clients_;
  std::thread thread_;
  std::atomic<bool> stopping_ = false;
};

}  // namespace berth::bench
