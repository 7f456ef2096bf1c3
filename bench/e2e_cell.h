// A cell for the benchmark e2e: a node that leads on a log, agents that only join and beat, and a user who
// asks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "controller/runtime/cell_node.h"
#include "events/base/secrets.h"
#include "events/base/system_clock.h"
#include "events/codec/signing.h"
#include "projections/store/rocks/rocks_store.h"

namespace berth::bench {

struct CellOptions {
  std::string folder;  // of the projection's rows
  std::uint32_t agents = 1'000;
  std::uint64_t sessions = 0;  // that will be asked for in all: the agents hold them
  std::uint64_t seed = 1;
};

class Cell {
 public:
  // `log` is fresh and outlives it.
  Cell(const CellOptions& options, EventLog& log);
  ~Cell();

  // Defines, enrols and joins; returns when all agents are alive.
  void bring_up();

  // Sealed requests for sessions [from, to): made ahead, as an API server's time is not what is measured.
  void prepare(std::uint64_t from, std::uint64_t to);
  // `at`: when it was due, or now.
  void send(std::uint64_t session, std::int64_t at);
  // Sessions whose placement was read back and folded. Returns when there are at least `count`.
  void wait_scheduled(std::uint64_t count);
  std::uint64_t scheduled() const { return scheduled_; }
  // From send() to read back, ns, of sessions [from, to).
  std::vector<std::int64_t> latencies(std::uint64_t from, std::uint64_t to) const;

  const std::string& payload(std::uint64_t session) const { return requests_[session]; }
  Offset journal_next() const { return node_->next(); }
  controller::ControllerCounters counters() const { return node_->counters(); }

 private:
  struct Agent {
    std::string name;
    Uuid incarnation;
    Signer signer;
    std::uint64_t beats = 0;
  };
  void ask(v1::Request request);
  void define();
  void join(Agent& agent);
  void beat(Agent& agent);
  void run_beats();
  void on_record(const v1::Record& record);
  std::string make_request(std::uint64_t session) const;
  template <class Test> void await(const char* what, Test test);

  CellOptions options_;
  EventLog& log_;
  SystemClock clock_;
  SystemRandom random_;
  Uuid cluster_;
  std::string secret_ = std::string(32, 's');
  Signer user_;
  std::unique_ptr<projections::RocksStore> store_;
  std::unique_ptr<controller::CellNode> node_;
  std::vector<Agent> agents_;
  std::thread beats_;
  std::atomic<bool> stopping_ = false;

  std::vector<std::string> requests_;
  std::vector<std::int64_t> sent_at_, read_at_;  // by session
  std::atomic<std::uint64_t> scheduled_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace berth::bench
