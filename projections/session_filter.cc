#include "projections/session_filter.h"

#include <algorithm>

namespace berth::projections {

SessionStatus shown_status(const SessionRow& session) {
  return session.forced && session.status == SessionStatus::kTerminating ? SessionStatus::kTerminated
                                                                         : session.status;
}

bool SessionFilter::matches(const SessionRow& session) const {
  const v1::Owner& owner = session.owner->owner;
  if (!user.empty() && owner.user() != user) return false;
  if (!name.empty() && session.name != name) return false;
  if (!project.empty() && owner.project() != project && owner.domain() + "/" + owner.project() != project)
    return false;
  if (!group.empty() && session.spec->spec.group() != group) return false;
  return statuses.empty() ||
         std::find(statuses.begin(), statuses.end(), shown_status(session)) != statuses.end();
}

SessionFilter from_proto(const v1::SessionFilter& filter) {
  SessionFilter out{filter.user(), filter.name(), filter.group(), filter.project(), {}};
  for (const std::string& word : filter.statuses()) {
    SessionStatus named{};  // no session's status
    for (int i = static_cast<int>(SessionStatus::kPending); i <= static_cast<int>(SessionStatus::kError); ++i)
      if (const auto status = static_cast<SessionStatus>(i); word == name_of(status)) named = status;
    out.statuses.push_back(named);
  }
  return out;
}

v1::SessionFilter to_proto(const SessionFilter& filter) {
  v1::SessionFilter out;
  out.set_user(filter.user);
  out.set_name(filter.name);
  out.set_group(filter.group);
  out.set_project(filter.project);
  for (const SessionStatus status : filter.statuses) out.add_statuses(name_of(status));
  return out;
}

}  // namespace berth::projections
