#include "tests/support/spec.h"

namespace berth::testing {

Spec::Spec() {
  spec_.set_type(v1::INTERACTIVE);
  spec_.set_group("default");
  spec_.set_priority(10);
  spec_.set_max_attempts(5);
  spec_.set_architecture("x86_64");
  auto* main = spec_.add_roles();
  main->set_role("main");
  main->set_count(1);
  cpu(1);
  mem(kGiga);
}

Spec& Spec::batch(const std::string& command) {
  spec_.set_type(v1::BATCH);
  spec_.clear_command();
  spec_.add_command(command);
  return *this;
}

Spec& Spec::slot(const std::string& name, Amount amount) {
  for (auto& role : *spec_.mutable_roles()) {
    v1::SlotAmount* found = nullptr;
    for (auto& slot : *role.mutable_slots())
      if (slot.slot() == name) found = &slot;
    if (found == nullptr) found = role.add_slots();
    found->set_slot(name);
    found->set_amount(amount);
  }
  return *this;
}

Spec& Spec::count_of(const std::string& name, std::uint32_t count) {
  for (auto& role : *spec_.mutable_roles()) {
    if (role.role() != name) continue;
    role.set_count(count);
    return *this;
  }
  const v1::RoleSpec main = spec_.roles(0);
  auto* role = spec_.add_roles();
  *role = main;
  role->set_role(name);
  role->set_count(count);
  return *this;
}

Spec& Spec::group(const std::string& name) {
  spec_.set_group(name);
  return *this;
}
Spec& Spec::image(const std::string& reference) {
  spec_.set_image(reference);
  return *this;
}
Spec& Spec::priority(std::int32_t priority) {
  spec_.set_priority(priority);
  return *this;
}
Spec& Spec::requeueable(bool yes) {
  spec_.set_requeueable(yes);
  return *this;
}
Spec& Spec::pending_timeout(Duration time) {
  spec_.set_pending_timeout_ms(time / kMillisecond);
  return *this;
}
Spec& Spec::batch_timeout(Duration time) {
  spec_.set_batch_timeout_ms(time / kMillisecond);
  return *this;
}
Spec& Spec::start_at(Timestamp time) {
  spec_.set_start_time_ms(time / kMillisecond);
  return *this;
}
Spec& Spec::max_attempts(std::uint32_t attempts) {
  spec_.set_max_attempts(attempts);
  return *this;
}

Spec& Spec::session_group(const std::string& name, v1::SessionGroupRule rule, bool strict) {
  spec_.mutable_session_group()->set_name(name);
  spec_.mutable_session_group()->set_rule(rule);
  spec_.mutable_session_group()->set_strict(strict);
  return *this;
}

v1::Owner owner(const std::string& user) {
  v1::Owner owner;
  owner.set_domain("default");
  owner.set_project("default");
  owner.set_user(user);
  return owner;
}

}  // namespace berth::testing
