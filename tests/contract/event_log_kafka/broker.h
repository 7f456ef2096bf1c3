// A real broker for a test program: started by ops/kafka/start on a free port with a folder of its own,
// killed at the end. Tests run with the repository's root as working directory.
#pragma once

#include <string>

namespace berth {

class KafkaBroker {
 public:
  // The program's one broker; started at the first call.
  static KafkaBroker& shared();
  ~KafkaBroker();
  KafkaBroker(const KafkaBroker&) = delete;
  KafkaBroker& operator=(const KafkaBroker&) = delete;

  // Why there is none; empty if there is one.
  const std::string& missing() const { return missing_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  void start();     // waits until it answers
  void kill_now();  // kill -9

 private:
  KafkaBroker();
  std::string missing_;
  std::string dir_;
  int port_ = 0;
};

// A name for a cluster that no test used before on this broker.
std::string fresh_cluster();

}  // namespace berth
