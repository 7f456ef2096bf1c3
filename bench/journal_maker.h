// JournalMaker: a synthetic journal of a busy cell, as a leader would write it, record by record.
//
// It keeps as many sessions live as it is told and moves them through their whole lives in random order;
// header time goes on evenly. What it writes always applies: it keeps the few counters that this needs, not a
// State.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/base/clock.h"
#include "events/base/hash.h"
#include "events/base/random.h"
#include "events/codec/journal_signer.h"
#include "events/schema/v1/record.pb.h"
#include "projections/fold/chain.h"

namespace berth::bench {

struct JournalShape {
  std::uint64_t seed = 1;
  std::uint32_t agents = 1'000;
  std::uint32_t live = 20'000;  // sessions at a time
  std::uint32_t events_per_record = 8;
  Duration between_events = 80 * kMillisecond;  // of header time
};

class JournalMaker {
 public:
  // `signer`: as the reader's trust.
  JournalMaker(JournalSigner signer, JournalShape shape);

  // Payload of the next record. events() counts what was made.
  std::string next();
  std::uint64_t events() const { return events_; }

 private:
  enum class Stage : std::uint8_t { kPending, kScheduled, kPreparing, kRunning, kTerminating };
  struct Session {
    SessionId id;
    KernelId kernel;
    std::uint32_t agent = 0;
    Stage stage = Stage::kPending;
  };

  v1::Event* add();
  void first_record();
  void ask();
  void move(std::size_t at);
  void place(Session& session);
  std::string unsigned_payload();

  JournalSigner signer_;
  JournalShape shape_;
  Rng rng_;
  v1::Record record_;
  std::vector<v1::SessionSpec> specs_;
  std::vector<Session> live_;
  std::vector<std::uint32_t> free_;  // kernels that each agent still takes
  std::uint64_t events_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t sequence_ = 0;
  std::string link_;
  Timestamp time_ = 1'700'000'000 * kSecond;
};

}  // namespace berth::bench
