#include "controller/feed/limit_gate.h"

#include "projections/limits.h"

namespace berth::controller {

using projections::SessionRow;
using projections::SharedOwner;

void LimitGate::clear() {
  state_ = nullptr;
  beside_.clear();
  added_.clear();
  held_.clear();
  reserved_.clear();
  touched_.clear();
}

void LimitGate::begin_pass(const projections::State& state) {
  state_ = &state;
  added_ = beside_;
  for (const SessionId& id : reserved_) add(id);
}

void LimitGate::lift(const projections::State& state, const std::function<void(const SessionRow&)>& f) {
  if (touched_.empty()) return;
  begin_pass(state);
  std::set<SessionId> asked;
  for (const std::string& scope : touched_)
    if (const auto it = held_.find(scope); it != held_.end())
      asked.insert(it->second.begin(), it->second.end());
  touched_.clear();
  for (const SessionId& id : asked) {
    if (is_over(id)) continue;
    const SessionRow& row = *state.sessions.find(id);
    forget(row);
    f(row);
  }
}

bool LimitGate::is_over(const SessionId& id) const {
  const SessionRow* session = state_->sessions.find(id);
  return session != nullptr &&
         !projections::excess_when_placed(*state_, *session->owner, session->spec->spec, &added_).empty();
}

placement::Reason LimitGate::admit(const SessionId& id) {
  if (state_->limits.size() == 0 || !is_over(id)) return {};
  for (const std::string& scope : state_->sessions.find(id)->owner->scopes)
    if (!scope.empty()) held_[scope].insert(id);
  return {placement::Code::kLimit, placement::kNoSlot};
}

void LimitGate::placed(const SessionId& id) {
  if (!reserved_.contains(id)) add(id);
}

void LimitGate::reserved(const SessionId& id) {
  if (reserved_.insert(id).second && state_ != nullptr) add(id);
}

void LimitGate::unreserved(const SessionId& id) {
  if (reserved_.erase(id) != 0) add(id, -1);
}

void LimitGate::add(const SessionId& id, int sign) {
  if (state_->limits.size() == 0) return;
  if (const SessionRow* session = state_->sessions.find(id))
    added_.place(*session->owner, session->spec->spec, sign);
}

void LimitGate::forget(const SessionRow& session) {
  reserved_.erase(session.id);
  if (held_.empty()) return;
  for (const std::string& scope : session.owner->scopes) {
    const auto it = held_.find(scope);
    if (it == held_.end()) continue;
    it->second.erase(session.id);
    if (it->second.empty()) held_.erase(it);
  }
}

void LimitGate::touch(const SharedOwner& owner) {
  if (held_.empty()) return;
  for (const std::string& scope : owner.scopes) touch(scope);
}

void LimitGate::touch(const std::string& scope) {
  if (held_.contains(scope)) touched_.insert(scope);
}

}  // namespace berth::controller
