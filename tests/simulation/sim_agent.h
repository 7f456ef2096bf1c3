// An agent process in the simulator, and its machine: the fake backend, whose kernels outlive the agent's
// crashes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agents/core/agent.h"
#include "agents/kernel/fake_backend.h"
#include "events/codec/signing.h"
#include "tests/simulation/sim_controller.h"
#include "tests/simulation/strange/hang.h"

namespace berth::simulation {

class SimAgent {
 public:
  SimAgent(const SimCluster& cluster, std::string name, std::uint64_t seed, const Hostility& hostility);

  void start(const Instant& now);
  void crash();
  void reboot();  // its machine: what ran on it is gone, and nobody saw how it ended
  void let_a_program_die(Rng& rng);
  bool up() const { return agent_ != nullptr; }
  void turn(const Instant& now);          // the agent's threads
  void machine_turn(const Instant& now);  // kernels and the watchdog: also while the agent is down or paused
  // Cut off from the log: what it sends waits, what is sent to it is not read.
  void set_cut_off(bool cut_off) { cut_off_ = cut_off; }
  // Unlike one that is cut off, such an agent's beats are sent, late; its reads and appends hang apart.
  void hang(const Hang& hang) { hang_ = hang; }

  const std::string& name() const { return name_; }
  const agents::FakeBackend& machine() const { return machine_; }
  const v1::AgentJoined& profile() const { return profile_; }

 private:
  void read(const Instant& now, agents::AgentOutputs& out);
  void carry_out(agents::AgentOutputs& out, const Instant& now);
  void send(Stream stream, std::string payload);
  void append_oldest();
  Duration lease_of_life() const;

  const SimCluster& cluster_;
  std::string name_;
  SeededRandom random_;
  Signer signer_;
  v1::AgentJoined profile_;
  agents::FakeBackend machine_;
  std::unique_ptr<HangingLog> log_;
  std::unique_ptr<LogReader> reader_;
  std::unique_ptr<agents::Agent> agent_;
  std::vector<agents::KernelEvent> events_;
  std::deque<std::string> reports_;  // in order, the first is in flight; never given up (P22)
  bool report_in_flight_ = false;
  bool cut_off_ = false;
  Hang hang_;
  bool has_long_leases_;
  int lives_ = 0;
};

}  // namespace berth::simulation
