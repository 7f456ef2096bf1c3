// IoThreads: a few threads for sockets, those of an API server to its clients and those to agents alike:
// bytes that go from one to the other wake no thread that sleeps (ops/adr/0082). Handlers that must not run
// beside each other have a strand.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>
#include <vector>

namespace berth::controller {

class IoThreads {
 public:
  // As many as a server is to have: a second one is worth the waking of it where there are processors for
  // both and for what they talk to.
  static int usual();
  // REQUIRES: at least 1.
  explicit IoThreads(int threads);
  ~IoThreads() { stop(); }
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;

  boost::asio::io_context& context() { return io_; }
  // From its return on no handler runs by itself. Idempotent, not from a handler.
  void stop();
  // After stop(): runs here what is ready, as the handlers of sockets that were closed. Before: nothing.
  void run_ready();

 private:
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::vector<std::thread> threads_;
};

}  // namespace berth::controller
