#include "tests/support/events.h"
#include "tests/support/words.h"

namespace berth::testing {

std::string kernel_name(const std::string& session, const std::string& role, std::uint32_t index,
                        std::uint32_t attempt) {
  std::string name = session + "/" + role + std::to_string(index);
  if (attempt != 1) name += "#" + std::to_string(attempt);
  return name;
}

v1::Event session_requested(const std::string& name, const v1::SessionSpec& spec, const std::string& user) {
  v1::Event e;
  e.set_actor("user:" + user);
  auto* body = e.mutable_session_requested();
  body->set_session_id(wire(name));
  body->set_name(name);
  *body->mutable_owner() = owner(user);
  *body->mutable_spec() = spec;
  body->set_number(1);
  body->set_count(1);
  return e;
}

namespace {

template <class M>
void add_placements(M* body, const std::string& session, const std::vector<Placed>& placed,
                    std::uint32_t attempt) {
  body->set_session_id(wire(session));
  for (const auto& p : placed) {
    auto* placement = body->add_placements();
    placement->set_kernel_id(wire(kernel_name(session, p.role, p.index, attempt)));
    placement->set_role(p.role);
    placement->set_index(p.index);
    placement->set_agent(p.agent);
    for (const auto& [device, amount] : p.shares) {
      auto* share = placement->add_devices();
      share->set_device(device);
      share->set_slot("cuda.shares");
      share->set_amount(amount);
    }
  }
}

}  // namespace

v1::Event session_scheduled(const std::string& session, const std::vector<Placed>& placed,
                            std::uint32_t attempt) {
  v1::Event e;
  e.mutable_session_scheduled()->set_attempt(attempt);
  add_placements(e.mutable_session_scheduled(), session, placed, attempt);
  return e;
}

v1::Event session_reserved(const std::string& session, const std::vector<Placed>& placed) {
  v1::Event e;
  add_placements(e.mutable_session_reserved(), session, placed, 1);
  return e;
}

v1::Event session_reserved(const std::string& session, const std::string& agent) {
  return session_reserved(session, std::vector<Placed>{{agent}});
}

v1::Event session_unreserved(const std::string& session) {
  v1::Event e;
  e.mutable_session_unreserved()->set_session_id(wire(session));
  return e;
}

v1::Event session_preempted(const std::string& victim, const std::string& preemptor) {
  v1::Event e = session_terminating(victim, "preempted");
  e.mutable_session_terminating()->set_preemptor(wire(preemptor));
  return e;
}

v1::Event session_put_back(const std::string& victim, const std::string& preemptor, std::uint32_t attempts) {
  v1::Event e = session_requeued(victim, attempts, "preempted");
  e.mutable_session_requeued()->set_preemptor(wire(preemptor));
  return e;
}

v1::Event session_scheduled(const std::string& session, const std::string& agent, std::uint32_t attempt) {
  return session_scheduled(session, std::vector<Placed>{{agent}}, attempt);
}

v1::Event session_reason_changed(const std::string& session, const std::string& code,
                                 const std::string& slot) {
  v1::Event e;
  auto* body = e.mutable_session_reason_changed();
  body->set_session_id(wire(session));
  body->set_code(record_code(code));
  body->set_slot(slot);
  return e;
}

v1::Event session_retried(const std::string& session, std::uint32_t retries) {
  v1::Event e;
  e.mutable_session_retried()->set_session_id(wire(session));
  e.mutable_session_retried()->set_retries(retries);
  return e;
}

v1::Event session_terminating(const std::string& session, const std::string& reason, bool forced) {
  v1::Event e;
  auto* body = e.mutable_session_terminating();
  body->set_session_id(wire(session));
  body->set_reason(record_code(reason));
  body->set_forced(forced);
  return e;
}

v1::Event session_cancelled(const std::string& session, const std::string& reason) {
  v1::Event e;
  e.mutable_session_cancelled()->set_session_id(wire(session));
  e.mutable_session_cancelled()->set_reason(record_code(reason));
  return e;
}

v1::Event session_requeued(const std::string& session, std::uint32_t attempts, const std::string& reason) {
  v1::Event e;
  auto* body = e.mutable_session_requeued();
  body->set_session_id(wire(session));
  body->set_attempts(attempts);
  body->set_reason(record_code(reason));
  return e;
}

v1::Event session_failed(const std::string& session, const std::string& code) {
  v1::Event e;
  e.mutable_session_failed()->set_session_id(wire(session));
  e.mutable_session_failed()->set_code(record_code(code));
  return e;
}

v1::Event kernel_preparing(const std::string& kernel, std::uint32_t attempt) {
  v1::Event e;
  e.mutable_kernel_preparing()->set_kernel_id(wire(kernel));
  e.mutable_kernel_preparing()->set_attempt(attempt);
  return e;
}

v1::Event kernel_pulling(const std::string& kernel, std::uint32_t percent, std::uint32_t attempt) {
  v1::Event e;
  e.mutable_kernel_pulling()->set_kernel_id(wire(kernel));
  e.mutable_kernel_pulling()->set_attempt(attempt);
  e.mutable_kernel_pulling()->set_percent(percent);
  return e;
}

v1::Event kernel_prepared(const std::string& kernel, std::uint32_t attempt) {
  v1::Event e;
  e.mutable_kernel_prepared()->set_kernel_id(wire(kernel));
  e.mutable_kernel_prepared()->set_attempt(attempt);
  return e;
}

v1::Event kernel_creating(const std::string& kernel, std::uint32_t attempt) {
  v1::Event e;
  e.mutable_kernel_creating()->set_kernel_id(wire(kernel));
  e.mutable_kernel_creating()->set_attempt(attempt);
  return e;
}

v1::Event kernel_running(const std::string& kernel, std::uint32_t attempt) {
  v1::Event e;
  auto* body = e.mutable_kernel_running();
  body->set_kernel_id(wire(kernel));
  body->set_attempt(attempt);
  body->set_started_ns(1'700'000'000 * kSecond);
  body->set_pid(4711);
  return e;
}

v1::Event kernel_terminated(const std::string& kernel, v1::KernelEnd end, std::int32_t exit_code,
                            std::uint32_t attempt) {
  v1::Event e;
  auto* body = e.mutable_kernel_terminated();
  body->set_kernel_id(wire(kernel));
  body->set_attempt(attempt);
  body->set_end(end);
  body->set_exit_code(exit_code);
  body->set_started_ns(1'700'000'000 * kSecond);
  body->set_ended_ns(1'700'000'001 * kSecond);
  return e;
}

v1::Event kernel_opened(const std::string& session, const std::string& kind, const std::string& name,
                        const std::string& user) {
  v1::Event e;
  auto* body = e.mutable_kernel_opened();
  body->set_session_id(wire(session));
  body->set_kernel_id(wire(kernel_name(session)));
  body->set_attempt(1);
  body->set_kind(value_of<v1::WayKind>(kind));
  body->set_name(name);
  body->set_user(user);
  return e;
}

v1::Event termination_begun(const std::vector<std::string>& sessions) {
  v1::Event e;
  e.mutable_termination_begun();
  for (const std::string& session : sessions) e.mutable_termination_begun()->add_selected(wire(session));
  return e;
}

v1::Event session_shared(const std::string& session, const std::string& scope, const std::string& id,
                         bool withdrawn) {
  v1::Event e;
  auto* body = e.mutable_session_shared();
  body->set_session_id(wire(session));
  body->set_scope(value_of<v1::ScopeKind>(scope));
  body->set_id(id);
  body->set_withdrawn(withdrawn);
  return e;
}

}  // namespace berth::testing
