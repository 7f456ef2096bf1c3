// Given / when / then over events, for the fold:
//
//   given(definitions() + agent("a1")).when({session_requested("s1")}).then_applied().session("s1") ...
//
// Every step also checks that the incremental state hash equals one taken from nothing (P14) and that a
// forbidden record left no trace but the quarantine (P7).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "projections/fold/projection.h"
#include "tests/support/journal.h"

namespace berth::testing {

class Given {
 public:
  // Elects a controller, then appends each event as a record of its own. All must apply.
  explicit Given(const Events& history) : Given(history, TestJournal()) {}

  // One record.
  Given& when(const Events& events);
  Given& when_record(const v1::Record& record);  // continues the journal, if it applies
  Given& when_elected() { return take(journal_.elect()); }
  // Each a record of its own; all must apply.
  Given& and_given(const Events& events);
  Given& after(Duration time) {
    journal_.advance(time);
    return *this;
  }

  Given& then_applied();
  Given& then_void(const std::string& reason_part);
  Given& then_forbidden(const std::string& reason_part);

  // REQUIRES: it is there; the test fails and stops else.
  const projections::SessionRow& session(const std::string& name) const;
  const projections::KernelRow& kernel(const std::string& name) const;
  const projections::AgentRow& agent(const std::string& name) const;
  projections::SessionStatus status(const std::string& session_name) const {
    return session(session_name).status;
  }
  const projections::RequestRow* request(const std::string& actor, const std::string& request) const;
  bool has_session(const std::string& name) const {
    return state().sessions.find(session_id(name)) != nullptr;
  }
  bool has_kernel(const std::string& name) const { return state().kernels.find(kernel_id(name)) != nullptr; }
  // Taken on the agent, or on its device.
  Amount taken(const std::string& agent, const std::string& slot) const;
  Amount taken(const std::string& agent, const std::string& device, const std::string& slot) const;

  const projections::State& state() const { return projection_->state(); }
  projections::Projection& projection() { return *projection_; }
  TestJournal& journal() { return journal_; }
  const projections::ApplyOutcome& outcome() const { return outcome_; }

 private:
  Given(const Events& history, TestJournal journal);
  Given& take(const std::string& payload);

  TestJournal journal_;
  std::unique_ptr<projections::Projection> projection_;
  projections::ApplyOutcome outcome_;
};

inline Given given(const Events& history) { return Given(history); }

// The state hash from nothing, row by row (P14).
Hash128 recomputed_hash(const projections::State& state);
// All rows as text, for comparisons that say where two states differ.
std::string dump(const projections::State& state);

}  // namespace berth::testing
