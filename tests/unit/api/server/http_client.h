// A plain TCP client for what a well-behaved HTTP library would not do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::testing {

class RawClient {
 public:
  // `from`: an address of this machine, any of 127.0.0.0/8.
  explicit RawClient(std::uint16_t port, const char* from = "127.0.0.1");
  // As above, but connects later.
  RawClient();
  void connect(std::uint16_t port, const char* from = "127.0.0.1");
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool send(std::string_view bytes);
  // Reads until `text` came, the server closed, or 20 s are over; all that was read so far.
  const std::string& until(std::string_view text);
  // Reads until the server closes.
  const std::string& all();
  // One reply with a Content-Length; what follows stays.
  std::string reply();
  // The next bytes, as many; fewer: the server closed, or 20 s are over.
  std::string take(std::size_t size);
  bool closed() const { return closed_; }
  void shut_down();

 private:
  bool more();
  int fd_;
  std::string read_;
  bool closed_ = false;
};

}  // namespace berth::testing
