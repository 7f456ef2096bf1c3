// Events of the journal as JSON, for SSE and the pages of /v1/events. Pure.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "controller/api/map/slot_amounts.h"
#include "events/codec/describe.h"
#include "events/schema/v1/record.pb.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

// "17-0": offset of the record in the journal, index of the event in it. The form of Last-Event-ID and of
// page tokens of events.
struct EventId {
  std::uint64_t offset = 0;
  std::uint32_t index = 0;
  auto operator<=>(const EventId&) const = default;
};
std::string to_string(const EventId& id);
std::optional<EventId> parse_event_id(std::string_view text);

// Names for those ids in a record that the record itself does not name. An id that has left the state gets
// its first digits as name.
NameBook names_for(const projections::State& state, const v1::Record& record);

// The session that the event names, or the session of the kernel that it names; nullopt if it names neither.
std::optional<SessionId> session_of(const projections::State& state, const v1::Event& event);

// REQUIRES: index < record.events_size()
boost::json::object event_to_json(const v1::Record& record, int index, std::uint64_t offset,
                                  const SlotKinds& kinds, const NameBook& names,
                                  const std::optional<SessionId>& session);

// Any message of the schema, by its descriptor, with all its fields: ids of 16 bytes as UUIDs, other bytes as
// hex, lists of slot amounts as {"cpu": "0.5"}, lists of pairs as objects, *_ns as RFC 3339, positions as
// "epoch.sequence.index".
boost::json::object message_to_json(const google::protobuf::Message& message, const SlotKinds& kinds);

}  // namespace berth::controller::api
