// A cell for the benchmarks e2e and api: a node that leads on a log, agents that join, beat and say at most
// that kernels run, and users who ask.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "controller/runtime/cell_node.h"
#include "controller/runtime/past_keeper.h"
#include "events/base/secrets.h"
#include "events/base/system_clock.h"
#include "events/codec/sealing.h"
#include "events/codec/signing.h"
#include "projections/store/rocks/rocks_store.h"

namespace berth::bench {

// Requests not yet answered: what one API server lets through (P20).
inline constexpr std::uint64_t kWindow = 20'000;

struct CellOptions {
  std::string folder;  // of the projection's rows
  std::uint32_t agents = 1'000;
  std::uint64_t sessions = 0;  // that will be asked for in all: the agents hold them
  std::uint64_t seed = 1;
  std::uint32_t users = 0;  // who ask by turns, each in a project of its own; 0: the superadmin asks
  bool runs = false;        // agents report that the kernels run
  bool past = false;        // states of the past are kept, and rebuilt
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
  // Open load: each is due at its time whether or not those before it are answered, and counts from then.
  void send_at_rate(std::uint64_t from, std::uint64_t to, std::uint64_t per_second);
  // As fast as it goes, with as many unanswered as one API server lets through; returns when all are placed.
  void saturate(std::uint64_t from, std::uint64_t to);
  // Sessions whose placement was read back and folded. Returns when there are at least `count`.
  void wait_scheduled(std::uint64_t count);
  std::uint64_t scheduled() const { return scheduled_; }
  std::int64_t sent_at(std::uint64_t session) const { return sent_at_[session]; }
  // From send() to read back, ns, of sessions [from, to).
  std::vector<std::int64_t> latencies(std::uint64_t from, std::uint64_t to) const;

  const std::string& payload(std::uint64_t session) const { return requests_[session]; }
  Offset journal_next() const { return node_->next(); }
  controller::ControllerCounters counters() const { return node_->counters(); }

  // Takes the place of the node's follower where an API server is that.
  void on_record(const v1::Record& record);

  controller::CellNode& node() { return *node_; }
  projections::PastDesk& past() { return *desk_; }  // of CellOptions::past
  EventLog& log() { return log_; }
  const projections::Store& store() const { return *store_; }
  const Clock& clock() const { return clock_; }
  RandomSource& random() { return random_; }
  const Uuid& cluster() const { return cluster_; }
  const std::string& secret() const { return secret_; }
  const SealingRing& sealing() const { return sealing_; }
  // Of session `i`; "admin" where there are no others. The key pair of that name has the secret
  // key_secret(name).
  std::string user_of(std::uint64_t session) const;
  static std::string key_secret(const std::string& user) { return "secret of " + user; }
  SessionId id_of(std::uint64_t session) const;
  // The other way.
  static std::uint64_t session_of(std::string_view id);

 private:
  struct Agent {
    std::string name;
    Uuid incarnation;
    Signer signer;
    std::uint64_t beats = 0;
  };
  void ask(v1::Request request);
  void define();
  void define_users();
  void add_key(v1::Define& define, const std::string& user) const;
  void join(Agent& agent);
  void beat(Agent& agent);
  void run_beats();
  void report_running(const v1::SessionScheduled& scheduled);
  std::string make_request(std::uint64_t session) const;
  template <class Test> void await(const char* what, Test test);

  CellOptions options_;
  EventLog& log_;
  SystemClock clock_;
  SystemRandom random_;
  Uuid cluster_;
  SealingRing sealing_;
  std::string secret_ = std::string(32, 's');
  Signer user_;
  std::unique_ptr<projections::RocksStore> store_;
  std::unique_ptr<controller::PastKeeper> past_;
  std::unique_ptr<controller::CellNode> node_;
  projections::PastDesk* desk_ = nullptr;
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
