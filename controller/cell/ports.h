// What the controller's core is told, and what it wants done. Values only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "controller/feed/learning.h"
#include "events/log/event_log.h"
#include "projections/fold/projection.h"

namespace berth::controller {

// ---- inputs ----
struct InputRead {
  LogEntry entry;
};  // a request or a report
// `applied`: the durable fold has applied it, from the bytes that came back (P11); the store may be behind.
struct JournalRead {
  Offset offset = 0;
  std::string payload;
  bool applied = false;
  bool gap = false;  // there is no record at this offset (P30)
};
struct HealthRead {
  std::string payload;
};  // a beat (acks are ignored)
struct ControlRead {
  std::string payload;
};  // a leader's heartbeat
// The fate of an append that asked to be told.
struct Appended {
  std::uint64_t ticket = 0;
  AppendResult result;
};
// Answers Outputs::journal_end_wanted, once what was read is compared with the log (P9).
struct JournalEnd {
  Offset end = 0;
};
// Answers Outputs::check_inputs and glances: `same`: the input at `next - 1` has the recorded CRC (P13).
// `begin`: the stream's first offset; of one that is not the same, where it is to be read again from: the
// newest mark below which it is the same, or the first offset.
struct InputChecked {
  Partition partition;
  bool same = false;
  Offset begin = 0;
};
// A partition no longer has the offset at which reading was to go on (P13).
struct InputsLost {};
// The durable fold has passed a chain point.
struct ChainPointRead {
  projections::ChainPoint point;
};
// Answers Outputs::reload_wanted: a copy of the durable fold. The journal goes on at its chain().next().
struct Reloaded {
  std::unique_ptr<projections::Projection> projection;
};
struct Tick {};

using Input = std::variant<InputRead, JournalRead, HealthRead, ControlRead, Appended, JournalEnd,
                           InputChecked, InputsLost, ChainPointRead, Reloaded, SelectionFound, Tick>;

// ---- outputs ----
struct Append {
  Partition partition;
  std::string key;
  std::string payload;
  std::uint64_t ticket = 0;  // not 0: tell the core what became of it
};

struct CheckInput {
  Partition partition;
  Offset next = 0;
  std::uint32_t last_crc = 0;
  std::vector<projections::InputMark> marks = {};  // oldest first: places to try where that is another input
};
struct SeekInput {
  Partition partition;
  Offset offset = 0;
};

struct LogLine {
  enum class Level : std::uint8_t { kInfo, kWarning, kError } level = Level::kInfo;
  std::string text;
};

struct Outputs {
  std::vector<Append> appends;           // in order
  std::vector<CheckInput> check_inputs;  // at election: compare these, and drop inputs that were read before
  std::vector<CheckInput> glances;       // now and then: the same question, while reading goes on
  bool glance_at_journal = false;      // now and then: compare what was read last of the journal with the log
  std::vector<SeekInput> seek_inputs;  // partitions to read, each from its offset; while none was ever asked
                                       // for, inputs are not read
  std::vector<LearnSelection> learn;   // run learn_selection() on each elsewhere, and hand in what it found
  bool stop_inputs = false;            // no longer the leader: inputs need not be read
  bool journal_end_wanted = false;
  bool reload_wanted = false;
  bool full = false;  // in-flight bound reached: read no inputs for now (P20)
  bool more = false;  // call flush() again, there is more to decide
  std::vector<LogLine> log;
  std::string stop;  // not empty: this process must stop, and why
};

}  // namespace berth::controller
