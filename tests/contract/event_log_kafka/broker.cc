#include "tests/contract/event_log_kafka/broker.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace berth {
namespace {

// 0: somebody listens on `port`. Else the port, free again on return.
int try_port(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const bool bound = bind(fd, generic, length) == 0 && getsockname(fd, generic, &length) == 0;
  close(fd);
  return bound ? ntohs(address.sin_port) : 0;
}

// Free together with the controller's port beside it (see ops/kafka/start), and below the range from which
// outgoing connections take theirs: a client that tries such a port again and again while the broker is down
// may meet itself there.
int free_port() {
  for (int i = 0; i < 1000; ++i) {
    const int port = 10'000 + (getpid() * 37 + i * 101) % 12'000;
    if (try_port(port) > 0 && try_port(port + 10'000) > 0) return port;
  }
  return 0;
}

bool has(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

}  // namespace

KafkaBroker& KafkaBroker::shared() {
  static KafkaBroker broker;
  return broker;
}

KafkaBroker::KafkaBroker() {
  if (!has("java")) missing_ = "no Java here: apt-get install openjdk-17-jre-headless";
  if (!has("mvn")) missing_ = "no Maven here: apt-get install maven";
  if (!missing_.empty()) return;
  std::string pattern = (std::filesystem::temp_directory_path() / "berth-kafka-XXXXXX").string();
  dir_ = mkdtemp(pattern.data());
  port_ = free_port();
  start();
}

KafkaBroker::~KafkaBroker() {
  if (dir_.empty()) return;
  kill_now();
  std::error_code ignored;
  std::filesystem::remove_all(dir_, ignored);
}

void KafkaBroker::start() {
  const std::string command =
      "ops/kafka/start --data " + dir_ + " --port " + std::to_string(port_) + " >/dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

void KafkaBroker::kill_now() {
  const std::string command = "ops/kafka/stop --kill --data " + dir_ + " >/dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

std::string fresh_cluster() {
  static int count = 0;
  return "t" + std::to_string(++count);
}

}  // namespace berth
