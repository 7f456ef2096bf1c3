// RecordWriter: the journal record that the leader is writing (P4, P5, P10).
//
// Each event is folded into the leader's own projection as it is added, so that later decisions of the same
// record see it. close() gives the bytes to append and the link that the next record must carry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controller/decide/decision.h"
#include "events/codec/journal_signer.h"
#include "events/log/event_log.h"
#include "events/schema/v1/record.pb.h"
#include "projections/fold/projection.h"

namespace berth::controller {

struct ClosedRecord {
  Hash256 link{};
  std::string payload;
  int events = 0;
};

// As the journal names the stream of an input. REQUIRES: a partition of requests or reports.
v1::InputStream input_stream(const Partition& partition);

class RecordWriter {
 public:
  RecordWriter(projections::Projection& projection, JournalSigner signer)
      : projection_(projection), signer_(std::move(signer)) {}

  bool is_open() const { return open_; }
  // REQUIRES: !is_open().
  void open(Timestamp now);
  projections::Position position() const {
    return {record_.header().epoch(), record_.header().sequence(), 0};
  }
  // Of the next event.
  projections::Position next() const {
    return {record_.header().epoch(), record_.header().sequence(),
            static_cast<std::uint32_t>(record_.events_size())};
  }
  Timestamp time() const { return record_.header().time_ns(); }

  // Folds the events. An event that the second net forbids (a bug) is the last one folded: forbidden() says
  // why, and the record must be closed at once.
  void add(EventList events);
  void add(v1::Event event);
  // Whether events of so many bytes would fit beside what the record holds (P4).
  bool fits(std::size_t bytes) const { return bytes_ + bytes <= kDecisionBytesMax; }
  // The input at this offset is taken by this record, with the gaps before it (P30).
  void take_input(const Partition& partition, Offset offset, std::uint32_t crc);
  void add_subject(std::string subject);

  bool is_empty() const { return record_.events_size() == 0 && record_.header().ranges_size() == 0; }
  std::size_t bytes() const { return bytes_; }
  const std::string& forbidden() const { return forbidden_; }
  const v1::Record& record() const { return record_; }
  const std::vector<projections::OrderNote>& notes() const { return projection_.notes(); }

  ClosedRecord close();
  // Nothing was decided after all. REQUIRES: is_empty().
  void cancel() { open_ = false; }

 private:
  projections::Projection& projection_;
  JournalSigner signer_;
  v1::Record record_;
  bool open_ = false;
  std::size_t bytes_ = 0;
  std::string forbidden_;
};

}  // namespace berth::controller
