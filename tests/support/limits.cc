#include "tests/support/limits.h"

#include "tests/support/words.h"

namespace berth::testing {

Limit::Limit(const std::string& scope, const std::string& id) {
  limit_.set_scope(value_of<v1::ScopeKind>(scope));
  limit_.set_id(id);
}

Limit& Limit::slot(const std::string& name, Amount most) {
  auto* slot = limit_.add_slots();
  slot->set_slot(name);
  slot->set_most(most);
  return *this;
}
Limit& Limit::slot_unlimited(const std::string& name) {
  auto* slot = limit_.add_slots();
  slot->set_slot(name);
  slot->set_unlimited(true);
  return *this;
}
Limit& Limit::nothing_else() {
  limit_.set_unlisted_is_zero(true);
  return *this;
}
Limit& Limit::sessions(std::int64_t most) {
  limit_.mutable_sessions()->set_most(most);
  return *this;
}
Limit& Limit::system_sessions(std::int64_t most) {
  limit_.mutable_system_sessions()->set_most(most);
  return *this;
}
Limit& Limit::pending(std::int64_t most) {
  limit_.mutable_pending()->set_most(most);
  return *this;
}
Limit& Limit::pending_slot(const std::string& name, Amount most) {
  auto* slot = limit_.add_pending_slots();
  slot->set_slot(name);
  slot->set_most(most);
  return *this;
}
Limit& Limit::kernels_per_session(std::int64_t most) {
  limit_.mutable_kernels_per_session()->set_most(most);
  return *this;
}
Limit& Limit::priority(std::int64_t most) {
  limit_.mutable_priority()->set_most(most);
  return *this;
}

Limit::operator v1::Event() const {
  v1::Event e;
  *e.mutable_limit_set() = limit_;
  return e;
}

v1::Event limit_removed(const std::string& scope, const std::string& id) {
  v1::Event e;
  e.mutable_limit_removed()->set_scope(value_of<v1::ScopeKind>(scope));
  e.mutable_limit_removed()->set_id(id);
  return e;
}

Events running(const std::string& session, const std::string& agent, const v1::SessionSpec& spec) {
  return {session_requested(session, spec), session_scheduled(session, agent),
          kernel_running(kernel_name(session))};
}

}  // namespace berth::testing
