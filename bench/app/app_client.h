// AppClient: one connection to what berth-bench-served serves, by Berth or by relays: the same bytes go
// either way.
#pragma once

#include <cstdint>
#include <string>

#include "bench/api/http_load.h"

namespace berth::bench {

class AppClient {
 public:
  // `fields`: of Browser::open_app().
  AppClient(std::uint16_t port, std::string fields) : client_(port), fields_(std::move(fields)) {}

  // A GET of a body of so many bytes, as text.
  static std::string get_request(const std::string& fields, std::uint64_t bytes);
  // Reads a body of so many bytes to its end and throws it away.
  void get(std::uint64_t bytes);
  // Sends a body of so many bytes and waits for the answer.
  void post(std::uint64_t bytes);
  // From here on it is a WebSocket, of which echo() alone is used: 64 bytes go and come back.
  void upgrade();
  void echo();

 private:
  // Returns how many bytes of what was read are of the body.
  std::size_t read_header(const std::string& status);

  Client client_;
  std::string fields_;
};

}  // namespace berth::bench
