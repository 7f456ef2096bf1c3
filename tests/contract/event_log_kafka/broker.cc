#include "tests/contract/event_log_kafka/broker.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

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
  static int i = 0;  // another one each time
  while (i < 1000) {
    const int port = 10'000 + (getpid() * 37 + ++i * 101) % 12'000;
    if (try_port(port) > 0 && try_port(port + 10'000) > 0) return port;
  }
  return 0;
}

bool run(const std::string& command) {
  const int status = std::system(command.c_str());
  EXPECT_EQ(status, 0) << command;
  return status == 0;
}

bool has(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

}  // namespace

KafkaBroker& KafkaBroker::shared() {
  static KafkaBroker broker(false);
  return broker;
}

KafkaBroker& KafkaBroker::guarded() {
  static KafkaBroker broker(true);
  return broker;
}

KafkaBroker::KafkaBroker(bool guarded) {
  if (!has("java")) missing_ = "no Java here: apt-get install openjdk-17-jre-headless";
  if (!has("mvn")) missing_ = "no Maven here: apt-get install maven";
  if (guarded && !has("openssl")) missing_ = "no openssl here: apt-get install openssl";
  if (!missing_.empty()) return;
  std::string pattern = (std::filesystem::temp_directory_path() / "berth-kafka-XXXXXX").string();
  dir_ = mkdtemp(pattern.data());
  port_ = free_port();
  // An id that looks like an option: the broker's tools must not take it for one.
  if (guarded) std::ofstream(dir_ + "/cluster-id") << "-AAAAAAAAAAAAAAAAAAAAA";
  if (guarded) guard();
  if (start()) return;
  std::fputs("no broker: no test of this program can say anything\n", stderr);
  std::exit(EXIT_FAILURE);
}

// A CA and a certificate of it for this address, made here and now; listeners beside the plain one.
void KafkaBroker::guard() {
  run("cd " + dir_ +
      " && exec 2>openssl.log && openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj "
      "/CN=berth-test-ca -days 2"
      " && openssl req -newkey rsa:2048 -nodes -keyout broker.key -out broker.csr -subj /CN=127.0.0.1"
      " && echo subjectAltName=IP:127.0.0.1 >names"
      " && openssl x509 -req -in broker.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names "
      "-out broker.crt"
      " && cat broker.key broker.crt >broker.pem");
  sasl_port_ = free_port();
  tls_port_ = free_port();
  properties_ = dir_ + "/guarded.properties";
  const std::string plain = std::to_string(port_);
  const std::string others = ",SASL://127.0.0.1:" + std::to_string(sasl_port_) +
                             ",TLS://127.0.0.1:" + std::to_string(tls_port_) + "\n";
  const std::string users =
      "org.apache.kafka.common.security.plain.PlainLoginModule required user_admin=\"admin-secret\" "
      "user_agent=\"agent-secret\";\n";
  std::ofstream(properties_)
      << "listeners=PLAINTEXT://127.0.0.1:" << plain << ",CONTROLLER://127.0.0.1:" << port_ + 10'000 << others
      << "advertised.listeners=PLAINTEXT://127.0.0.1:" << plain << others
      << "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL:SASL_PLAINTEXT,TLS:"
         "SASL_SSL\n"
      << "sasl.enabled.mechanisms=PLAIN\nlistener.name.sasl.plain.sasl.jaas.config=" << users
      << "listener.name.tls.plain.sasl.jaas.config=" << users
      << "ssl.keystore.type=PEM\nssl.keystore.location=" << dir_ << "/broker.pem\n"
      << "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\n"
      << "super.users=User:ANONYMOUS;User:admin\n";
}

KafkaBroker::~KafkaBroker() {
  if (dir_.empty()) return;
  kill_now();
  std::error_code ignored;
  std::filesystem::remove_all(dir_, ignored);
}

bool KafkaBroker::start() {
  return run("ops/kafka/start --data " + dir_ + " --port " + std::to_string(port_) +
             (properties_.empty() ? "" : " --properties " + properties_) + " >/dev/null");
}

void KafkaBroker::kill_now() { run("ops/kafka/stop --kill --data " + dir_ + " >/dev/null"); }

std::string fresh_cluster() {
  static int count = 0;
  return "t" + std::to_string(++count);
}

}  // namespace berth
