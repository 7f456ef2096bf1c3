// Decision: what a handler answers, as a value: events, a refusal, or a refusal for now with what was begun.
//
// A handler reads the state and changes nothing; the leader applies the events, all of them in one record
// (P4), and only then decides about anything else.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "events/base/refusal.h"
#include "events/codec/envelope.h"
#include "events/schema/v1/event.pb.h"

namespace berth::controller {

// Stamped on every event of a decision.
struct Stamp {
  std::string actor;
  std::string request_id;  // 16 bytes, or empty
  std::string trace;
  std::string reason = {};  // in the asker's words
};

// A decision's events, serialised; a record's ranges and subjects take the rest of kRecordBytesMax (P4).
inline constexpr std::size_t kDecisionBytesMax = kRecordBytesMax - (8u << 10);

// The events of one decision, in order, each built in place.
class [[nodiscard]] EventList {
 public:
  using List = google::protobuf::RepeatedPtrField<v1::Event>;

  // A new event at the end, stamped. The reference stays good.
  v1::Event& add(const Stamp& stamp) {
    v1::Event& event = add();
    event.set_actor(stamp.actor);
    event.set_request_id(stamp.request_id);
    if (!stamp.trace.empty()) event.set_trace(stamp.trace);
    if (!stamp.reason.empty()) event.set_reason(stamp.reason);
    return event;
  }
  // The same without a stamp: the leader's own, of nobody's request.
  v1::Event& add() {
    bytes_ = 0;
    return *list_.Add();
  }

  bool empty() const { return list_.empty(); }
  int size() const { return list_.size(); }
  const v1::Event& operator[](int index) const { return list_[index]; }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  // Serialised, within a record; worked out once. REQUIRES: the events are complete.
  std::size_t bytes() const {
    if (bytes_ == 0)
      for (const auto& event : list_) bytes_ += event.ByteSizeLong() + 4;
    return bytes_;
  }
  // For moving the events into a record.
  List& list() { return list_; }

 private:
  List list_;
  mutable std::size_t bytes_ = 0;
};

// The same request may be granted later: its handler has begun what stands in the way. The events answer no
// request: their stamp has no request's id.
struct Deferred {
  Refusal refusal;
  EventList begun;
};

using Decision = std::variant<EventList, Refusal, Deferred>;

// Why the request is not carried out, also where it is for now; nullptr: it is carried out.
inline const Refusal* refusal_of(const Decision& decision) {
  if (const auto* deferred = std::get_if<Deferred>(&decision)) return &deferred->refusal;
  return std::get_if<Refusal>(&decision);
}

}  // namespace berth::controller
