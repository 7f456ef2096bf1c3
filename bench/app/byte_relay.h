// ByteRelay: takes connections on a port of loopback and copies bytes both ways between each and a connection
// of its own: the least that something between a client and an app can do. One thread, its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace berth::bench {

class ByteRelay {
 public:
  // To 127.0.0.1:`to` in the network namespace of that path, "/proc/1234/ns/net"; empty: in this one. Gives
  // up (tools.h) where it cannot listen or enter.
  explicit ByteRelay(std::uint16_t to, std::string network = {});
  ~ByteRelay();
  ByteRelay(const ByteRelay&) = delete;
  std::uint16_t port() const { return port_; }

 private:
  struct Way;
  struct Pair;
  void run();
  void accept_one();
  static bool pump(Way& way);

  const std::uint16_t to_;
  const std::string network_;
  std::uint16_t port_ = 0;
  int listener_ = -1, ready_ = -1;
  std::vector<std::unique_ptr<Pair>> pairs_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace berth::bench
