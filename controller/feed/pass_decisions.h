// PassDecisions: the visitor that collects what a scheduling pass decides, so that nothing is folded while
// the pass walks the model. A leader records what is collected; who runs a past pass again compares it with
// what was recorded.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "controller/feed/limit_gate.h"
#include "controller/placement/pass/pass.h"

namespace berth::controller {

struct PassDecision {
  enum class What : std::uint8_t { kPlaced, kRefused, kRetried, kReserved, kUnreserved } what = What::kPlaced;
  SessionId session;
  std::vector<placement::KernelPlacement> kernels;
  placement::Reason reason;
  std::uint32_t retries = 0;
  std::uint64_t turn = 0;               // of kPlaced in a group that selects round-robin
  std::vector<SessionId> victims = {};  // of kReserved: who has to go for it
  placement::PreemptMode mode = placement::PreemptMode::kTerminate;
};

struct PassDecisions : placement::PassVisitor {
  explicit PassDecisions(LimitGate& gate) : limits(gate) {}

  LimitGate& limits;
  std::vector<PassDecision> all;
  projections::Position began;  // where the journal stood when the pass began (P29)

  placement::Reason admit(const SessionId& session) override { return limits.admit(session); }
  void placed(const SessionId& session, std::span<const placement::KernelPlacement> kernels) override {
    limits.placed(session);
    all.push_back({PassDecision::What::kPlaced, session, {kernels.begin(), kernels.end()}, {}, 0, 0});
  }
  void turned(std::uint64_t turn) override { all.back().turn = turn; }
  void refused(const SessionId& session, placement::Reason reason) override {
    all.push_back({PassDecision::What::kRefused, session, {}, reason, 0, 0});
  }
  void preempted(const SessionId& victim, const SessionId&, placement::PreemptMode how) override {
    victims.push_back(victim);
    mode = how;
  }
  void reserved(const SessionId& session, std::span<const placement::KernelPlacement> kernels) override {
    limits.reserved(session);
    all.push_back({PassDecision::What::kReserved,
                   session,
                   {kernels.begin(), kernels.end()},
                   {},
                   0,
                   0,
                   std::exchange(victims, {}),
                   mode});
  }
  void unreserved(const SessionId& session) override {
    limits.unreserved(session);
    all.push_back({PassDecision::What::kUnreserved, session, {}, {}, 0, 0});
  }
  void retried(const SessionId& session, std::uint32_t retries) override {
    all.push_back({PassDecision::What::kRetried, session, {}, {}, retries, 0});
  }

  std::vector<SessionId> victims;  // until reserved() says for whom
  placement::PreemptMode mode = placement::PreemptMode::kTerminate;
};

}  // namespace berth::controller
