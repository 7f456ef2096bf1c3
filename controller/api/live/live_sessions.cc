#include "controller/api/live/live_sessions.h"

namespace berth::controller::api {
namespace {

using projections::SessionRow;

bool is_live(const SessionRow* session) {
  return session != nullptr && !projections::is_end(session->status);
}

}  // namespace

// The newest mostly: behind all others.
void LiveSessions::add(const SessionRow& session) {
  all_.emplace_hint(all_.end(), session.created, session.id);
  SessionOrder& mine = of_user_[session.owner->owner.user()];
  mine.emplace_hint(mine.end(), session.created, session.id);
}

void LiveSessions::on_row(const SessionRow* before, const SessionRow* after) {
  if (!built_ || is_live(before) == is_live(after)) return;
  if (is_live(after)) return add(*after);
  all_.erase(before->created);
  const auto mine = of_user_.find(before->owner->owner.user());
  mine->second.erase(before->created);
  if (mine->second.empty()) of_user_.erase(mine);
}

void LiveSessions::forget() {
  built_ = false;
  all_.clear();
  of_user_.clear();
}

const SessionOrder& LiveSessions::of(const projections::State& state, const std::string& user) {
  const std::lock_guard lock(building_);
  if (!built_)
    state.sessions.for_each_unordered([this](const SessionRow& session) {
      if (is_live(&session)) add(session);
    });
  built_ = true;
  if (user.empty()) return all_;
  static const SessionOrder none;
  const auto mine = of_user_.find(user);
  return mine == of_user_.end() ? none : mine->second;
}

}  // namespace berth::controller::api
