// An export of events: a reply that gives one reading of the log after another, as its client takes them, and
// says at its end that it is whole.
#pragma once

#include <cstdint>
#include <memory>

#include "controller/api/live/event_hub.h"

namespace berth::controller::api {

struct ExportWanted {
  Offset from = 0, end = 0;      // records from..end-1
  std::optional<EventId> after;  // events up to this one are left out
  std::uint64_t limit = UINT64_MAX;
  bool csv = false;  // else JSON lines
  EventFilter filter;
};

// The first record whose time is not before `time`, of those before `end`; `end`: there is none. Blocks.
// Codes: those of EventLog.
Result<Offset> first_not_before(ApiContext& context, Timestamp time, Offset end);

// The last line says how many events there are, up to which record all were looked at, and behind which event
// to go on where the limit was reached. A file without that line was cut: by the line, by a server that
// stopped, or by what its last line then says, the code of an error. Both lines are told from events by their
// first field: `#end` and `#error` of CSV, the members `end` and `error` of JSON.
// Codes: too-many-streams, too-many-requests.
Result<std::shared_ptr<FrameStream>> export_events(EventHub& hub, ApiContext& context, Turns& turns,
                                                   ExportWanted wanted);

}  // namespace berth::controller::api
