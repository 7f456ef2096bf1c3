#include "controller/cell/leader/record_writer.h"

#include <algorithm>

namespace berth::controller {
namespace {

constexpr std::size_t kHeaderBytes = 200;  // envelope and record header, about

}  // namespace

v1::InputStream input_stream(const Partition& partition) {
  return partition.stream == Stream::kRequests ? v1::REQUESTS : v1::REPORTS;
}

void RecordWriter::open(Timestamp now) {
  BERTH_CHECK(!open_, "one record at a time");
  const auto& epoch = projection_.state().epoch();
  record_.Clear();
  forbidden_.clear();
  auto* header = record_.mutable_header();
  header->set_epoch(epoch.epoch);
  header->set_sequence(epoch.sequence + 1);
  header->set_link(epoch.link.data(), epoch.link.size());
  header->set_time_ns(std::max(now, epoch.time));
  bytes_ = kHeaderBytes;
  open_ = true;
  projection_.own().open(*header);
}

void RecordWriter::add(v1::Event event) {
  EventList events;
  events.add().Swap(&event);
  add(std::move(events));
}

void RecordWriter::add(EventList events) {
  BERTH_CHECK(open_, "an event needs an open record");
  bytes_ += events.bytes();
  auto& list = events.list();
  for (auto& event : list) {
    if (!forbidden_.empty()) return;  // what follows a forbidden event is not decided any more
    v1::Event* added = record_.add_events();
    added->Swap(&event);
    forbidden_ = projection_.own().add(*added);
  }
}

void RecordWriter::take_input(const Partition& partition, Offset offset, std::uint32_t crc) {
  for (auto& range : *record_.mutable_header()->mutable_ranges()) {
    if (range.stream() != input_stream(partition) || range.partition() != partition.number) continue;
    BERTH_CHECK(range.to() <= offset, "inputs are taken in order");
    range.set_to(offset + 1);
    range.set_last_crc(crc);
    return;
  }
  auto* range = record_.mutable_header()->add_ranges();
  range->set_stream(input_stream(partition));
  range->set_partition(partition.number);
  range->set_from(projection_.state().next_input(to_string(partition)));
  range->set_to(offset + 1);
  range->set_last_crc(crc);
  bytes_ += 24;
}

void RecordWriter::add_subject(std::string subject) {
  bytes_ += subject.size() + 2;
  record_.mutable_header()->add_subjects(std::move(subject));
}

ClosedRecord RecordWriter::close() {
  BERTH_CHECK(open_, "no record is open");
  open_ = false;
  ClosedRecord closed;
  closed.events = record_.events_size();
  closed.payload = signer_.sign(record_.SerializeAsString());
  closed.link = blake2b_256(closed.payload);
  if (forbidden_.empty())
    projection_.own().close(record_.header(), closed.link);
  else
    projection_.own().abort();
  return closed;
}

}  // namespace berth::controller
