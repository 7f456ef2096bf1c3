// PolicyProcess: a selection policy in a process of its own (berth-policy-host), asked over a socket pair.
//
// A failure (it does not start, crashes, takes longer than a pass has for it, scores out of range) ends the
// process and is a refusal to answer for the rest of the pass; after kFailuresInRow passes that failed it is
// off until switch_on(). begin_pass(), score() and switch_on() are the core strand's; the counters are for
// any thread.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "controller/placement/select/custom/policy.h"

namespace berth::controller::policy {

struct ProcessOptions {
  std::string host;                                       // the program berth-policy-host
  std::string library;                                    // its absolute path
  int start_ms = 1'000;                                   // to load it
  int pass_ms = 100;                                      // for all answers of a pass
  std::function<void(const std::string&)> say = nullptr;  // a line for the log
};

struct PolicyCounters {
  std::atomic<std::uint64_t> asked{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<bool> off{false};
};

class PolicyProcess final : public placement::CustomPolicy {
 public:
  static constexpr int kFailuresInRow = 3;

  PolicyProcess(std::string name, ProcessOptions options)
      : name_(std::move(name)), options_(std::move(options)) {}
  ~PolicyProcess() override { stop(); }

  void begin_pass() override;
  bool score(const placement::CustomQuestion& question, std::span<std::int64_t> scores) override;
  // Its group was defined anew: it has another chance.
  void switch_on();
  // Loads it if it does not run; the error is why it cannot be. Also for checks before it is used.
  Result<void> start();

  const std::string& name() const { return name_; }
  const PolicyCounters& counters() const { return counters_; }

 private:
  Result<void> ask(const std::string& frame, std::span<std::int64_t> scores);
  Result<std::string> read_frame(std::int64_t deadline_ms);
  Result<void> write_frame(const std::string& frame, std::int64_t deadline_ms);
  bool fail(const Error& error);
  void stop();

  const std::string name_;
  const ProcessOptions options_;
  PolicyCounters counters_;
  pid_t pid_ = -1;
  int socket_ = -1;
  std::int64_t left_ms_ = options_.pass_ms;  // of this pass
  bool failed_ = false;                      // in this pass
  bool asked_ = false;
  int failures_ = 0;  // passes in a row
};

}  // namespace berth::controller::policy
