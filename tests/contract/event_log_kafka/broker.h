// A real broker for a test program: started by ops/kafka/start on a free port with a folder of its own,
// killed at the end. Tests run with the repository's root as working directory.
#pragma once

#include <string>

namespace berth {

class KafkaBroker {
 public:
  // The program's one broker; started at the first call.
  static KafkaBroker& shared();
  // Another one, with listeners that ask for SASL/PLAIN without and with TLS, and rights per user: "admin"
  // (its password "admin-secret") may do anything, "agent" ("agent-secret") what it is given. Who comes by
  // address() may do anything.
  static KafkaBroker& guarded();
  ~KafkaBroker();
  KafkaBroker(const KafkaBroker&) = delete;
  KafkaBroker& operator=(const KafkaBroker&) = delete;

  // Why there is none; empty if there is one.
  const std::string& missing() const { return missing_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string sasl_address() const { return "127.0.0.1:" + std::to_string(sasl_port_); }
  std::string tls_address() const { return "127.0.0.1:" + std::to_string(tls_port_); }
  const std::string& dir() const { return dir_; }  // of guarded(): has ca.pem
  bool start();                                    // waits until it answers; false: the test has failed
  void kill_now();                                 // kill -9

 private:
  explicit KafkaBroker(bool guarded);
  void guard();
  std::string missing_;
  std::string dir_;
  int port_ = 0;
  int sasl_port_ = 0;
  int tls_port_ = 0;
  std::string properties_;  // file of the broker's further settings, or empty
};

// A name for a cluster that no test used before on this broker.
std::string fresh_cluster();

}  // namespace berth
