// Which sessions a list, a stream of rows or an end is about. Pure.
#pragma once

#include <string>
#include <vector>

#include "events/schema/v1/request.pb.h"
#include "projections/tables/session_table.h"

namespace berth::projections {

// As people see it: a session whose end was forced has ended for them at once, though its slots come free
// only at the confirmed end (P25).
SessionStatus shown_status(const SessionRow& session);

struct SessionFilter {
  std::string user;  // empty fields: whatever
  std::string name;
  std::string group;
  std::string project;                  // its name, or "DOMAIN/NAME"
  std::vector<SessionStatus> statuses;  // as people see them
  bool matches(const SessionRow& session) const;
};

// Words that are no status name none.
SessionFilter from_proto(const v1::SessionFilter& filter);
v1::SessionFilter to_proto(const SessionFilter& filter);

}  // namespace berth::projections
