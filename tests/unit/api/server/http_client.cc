#include "tests/unit/api/server/http_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace berth::testing {

namespace {

sockaddr_in address_of(const char* address, std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(port);
  out.sin_addr.s_addr = ::inet_addr(address);
  return out;
}

}  // namespace

RawClient::RawClient() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) { EXPECT_GE(fd_, 0); }

RawClient::RawClient(std::uint16_t port, const char* from) : RawClient() { connect(port, from); }

void RawClient::connect(std::uint16_t port, const char* from) {
  const sockaddr_in here = address_of(from, 0), there = address_of("127.0.0.1", port);
  EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&here), sizeof here), 0);
  EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&there), sizeof there), 0);
}

RawClient::~RawClient() { shut_down(); }

void RawClient::shut_down() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

bool RawClient::more() {
  pollfd wanted{fd_, POLLIN, 0};
  if (::poll(&wanted, 1, 20'000) <= 0) return false;
  char bytes[65536];
  const ssize_t size = ::recv(fd_, bytes, sizeof bytes, 0);
  if (size <= 0) {
    closed_ = true;
    return false;
  }
  read_.append(bytes, static_cast<std::size_t>(size));
  return true;
}

const std::string& RawClient::until(std::string_view text) {
  while (read_.find(text) == std::string::npos && more()) {}
  return read_;
}

const std::string& RawClient::all() {
  while (more()) {}
  return read_;
}

std::string RawClient::reply() {
  until("\r\n\r\n");
  const auto head = read_.find("\r\n\r\n");
  const auto length = read_.find("Content-Length: ");
  if (head == std::string::npos || length == std::string::npos || length > head) return read_;
  const std::size_t size = head + 4 + std::stoul(read_.substr(length + 16));
  while (read_.size() < size && more()) {}
  const std::string out = read_.substr(0, size);
  read_.erase(0, size);
  return out;
}

std::string RawClient::take(std::size_t size) {
  while (read_.size() < size && more()) {}
  const std::string out = read_.substr(0, size);
  read_.erase(0, size);
  return out;
}

}  // namespace berth::testing
