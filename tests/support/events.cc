#include "tests/support/events.h"

#include "tests/support/journal.h"
#include "tests/support/words.h"

namespace berth::testing {
namespace {

void add_slot(google::protobuf::RepeatedPtrField<v1::SlotAmount>* slots, const std::string& name,
              Amount amount) {
  auto* slot = slots->Add();
  slot->set_slot(name);
  slot->set_amount(amount);
}

}  // namespace

Events operator+(Events a, const Events& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

v1::Event slot_type_registered(const std::string& name, SlotKind kind, Amount quantum) {
  v1::Event e;
  auto* body = e.mutable_slot_type_registered();
  body->set_name(name);
  body->set_kind(static_cast<std::uint32_t>(kind));
  body->set_quantum(quantum);
  return e;
}

v1::Event group_defined(const std::string& name) {
  v1::Event e;
  auto* body = e.mutable_resource_group_defined();
  body->set_name(name);
  body->set_order("fifo");
  body->set_head_of_line("strict");
  body->set_select("dispersed");
  body->set_max_attempts(5);
  return e;
}

v1::Event image_registered(const std::string& reference) {
  v1::Event e;
  e.mutable_image_registered()->set_reference(reference);
  e.mutable_image_registered()->set_architecture("x86_64");
  return e;
}

v1::Event image_stored(const std::string& reference) {
  v1::Event e = image_registered(reference);
  e.mutable_image_registered()->set_source("oci:/images:" + reference);
  return e;
}

v1::Event image_building(const std::string& reference, std::uint32_t percent, const std::string& step) {
  v1::Event e;
  auto* build = e.mutable_image_build_changed();
  build->set_reference(reference);
  build->set_percent(percent);
  build->set_step(step);
  return e;
}

v1::Event image_build_failed(const std::string& reference, const std::string& message) {
  v1::Event e;
  auto* build = e.mutable_image_build_changed();
  build->set_reference(reference);
  build->set_failed(true);
  build->set_message(message);
  return e;
}

v1::Event user_defined(const std::string& name) {
  v1::Event e;
  auto* body = e.mutable_user_defined();
  body->set_name(name);
  body->set_domain("default");
  body->add_projects("default");
  body->set_role(v1::ROLE_USER);
  return e;
}

v1::Event user_with_role(const std::string& name, const std::string& role) {
  v1::Event e = user_defined(name);
  e.mutable_user_defined()->set_role(value_of<v1::Role>(role));
  return e;
}

v1::Event domain_defined(const std::string& name) {
  v1::Event e;
  e.mutable_domain_defined()->set_name(name);
  return e;
}

v1::Event project_defined(const std::string& domain, const std::string& name) {
  v1::Event e;
  e.mutable_project_defined()->set_domain(domain);
  e.mutable_project_defined()->set_name(name);
  return e;
}

v1::Event key_pair_defined(const std::string& id, const std::string& user) {
  v1::Event e;
  e.mutable_key_pair_defined()->set_id(id);
  e.mutable_key_pair_defined()->set_user(user);
  e.mutable_key_pair_defined()->set_active(true);
  return e;
}

v1::Event preset_defined(const std::string& name, const std::string& slot, Amount amount) {
  v1::Event e;
  e.mutable_preset_defined()->set_name(name);
  add_slot(e.mutable_preset_defined()->mutable_slots(), slot, amount);
  return e;
}

v1::Event password_set(const std::string& user) {
  v1::Event e;
  auto* set = e.mutable_password_set();
  set->set_user(user);
  set->mutable_hash()->set_key(1);
  set->mutable_hash()->set_nonce(std::string(24, 'n'));
  set->mutable_hash()->set_box(std::string(40, 'b'));
  set->set_set_ns(kTestStart);
  set->set_mark(wire("password of " + user));
  return e;
}

v1::Event login_link_issued(const std::string& user) {
  v1::Event e;
  e.mutable_login_link_issued()->set_user(user);
  e.mutable_login_link_issued()->set_token_hash(std::string(16, 't'));
  e.mutable_login_link_issued()->set_expires_ns(kTestStart + kDay);
  return e;
}

v1::Event browser_session_started(const std::string& name, const std::string& user) {
  v1::Event e;
  auto* started = e.mutable_browser_session_started();
  started->set_id(wire(name));
  started->set_user(user);
  started->set_secret_hash(std::string(32, 's'));
  started->set_started_ns(kTestStart);
  started->set_expires_ns(kTestStart + kDay);
  started->set_client("a browser");
  return e;
}

v1::Event browser_session_used(const std::string& name, Timestamp at) {
  v1::Event e;
  e.mutable_browser_session_used()->set_id(wire(name));
  e.mutable_browser_session_used()->set_used_ns(at);
  return e;
}

v1::Event browser_session_ended(const std::string& name, const std::string& user) {
  v1::Event e;
  e.mutable_browser_session_ended()->set_id(wire(name));
  e.mutable_browser_session_ended()->set_reason(record_code("logout"));
  e.mutable_browser_session_ended()->set_user(user);
  return e;
}

v1::Event login_link_ended(const std::string& user, const std::string& reason) {
  v1::Event e;
  e.mutable_login_link_ended()->set_user(user);
  e.mutable_login_link_ended()->set_reason(record_code(reason));
  return e;
}

v1::Event key_pair_used(const std::string& id, Timestamp at) {
  v1::Event e;
  e.mutable_key_pair_used()->set_id(id);
  e.mutable_key_pair_used()->set_used_ns(at);
  return e;
}

v1::Event unreachable_changed(const std::vector<std::string>& lost, const std::vector<std::string>& back) {
  v1::Event e;
  for (const auto& agent : lost) e.mutable_unreachable_changed()->add_lost(agent);
  for (const auto& agent : back) e.mutable_unreachable_changed()->add_back(agent);
  return e;
}

Events definitions() {
  return {slot_type_registered("cpu", SlotKind::kCount),
          slot_type_registered("mem", SlotKind::kBytes),
          slot_type_registered("cuda.device", SlotKind::kCount, kUnit),
          slot_type_registered("cuda.shares", SlotKind::kCount, kUnit / 100),
          group_defined("default"),
          domain_defined("default"),
          project_defined("default", "default"),
          user_defined("alice"),
          image_registered("python:3.11")};
}

v1::Device gpu(const std::string& id, Amount shares) {
  v1::Device device;
  device.set_id(id);
  device.set_model("A100");
  add_slot(device.mutable_slots(), "cuda.shares", shares);
  return device;
}

v1::Event agent_enrolled(const std::string& name, std::uint32_t generation) {
  v1::Event e;
  e.mutable_agent_enrolled()->set_agent(name);
  e.mutable_agent_enrolled()->set_generation(generation);
  return e;
}

std::string incarnation_of(const std::string& name, int life) {
  return wire("incarnation " + std::to_string(life) + " of " + name);
}

v1::Event agent_joined(const std::string& name, Amount cpus, Amount mem,
                       const std::vector<v1::Device>& devices, int life) {
  v1::Event e;
  auto* body = e.mutable_agent_joined();
  body->set_agent(name);
  body->set_incarnation(incarnation_of(name, life));
  body->set_nonce(wire("nonce " + std::to_string(life) + " of " + name));
  body->set_group("default");
  body->set_architecture("x86_64");
  add_slot(body->mutable_slots(), "cpu", cpus * kUnit);
  add_slot(body->mutable_slots(), "mem", mem);
  for (const auto& device : devices) *body->add_devices() = device;
  body->set_backend("fake");
  body->set_sent_ms(kTestStart / kMillisecond);
  return e;
}

v1::Event agent_lost(const std::string& name, int life) {
  v1::Event e;
  e.mutable_agent_lost()->set_agent(name);
  e.mutable_agent_lost()->set_incarnation(incarnation_of(name, life));
  return e;
}

v1::Event agent_left(const std::string& name, int life) {
  v1::Event e;
  e.mutable_agent_left()->set_agent(name);
  e.mutable_agent_left()->set_incarnation(incarnation_of(name, life));
  return e;
}

v1::Event agent_fenced(const std::string& name) {
  v1::Event e;
  e.mutable_agent_fenced()->set_agent(name);
  return e;
}

v1::Event agent_drain_changed(const std::string& name, bool draining) {
  v1::Event e;
  e.mutable_agent_drain_changed()->set_agent(name);
  e.mutable_agent_drain_changed()->set_draining(draining);
  return e;
}

Events agent(const std::string& name) {
  return {agent_enrolled(name), agent_joined(name, 8, 16 * kGiga, {gpu("gpu0"), gpu("gpu1")})};
}

v1::Event agent_removed(const std::string& name) {
  v1::Event e;
  e.mutable_agent_removed()->set_agent(name);
  return e;
}

v1::Event definition_removed(const std::string& kind, const std::string& name) {
  v1::Event e;
  e.mutable_definition_removed()->set_kind(value_of<v1::DefinitionKind>(kind));
  e.mutable_definition_removed()->set_name(name);
  return e;
}

v1::Event answering(v1::Event event, const std::string& actor, const std::string& request) {
  event.set_actor(actor);
  event.set_request_id(wire(request));
  return event;
}

}  // namespace berth::testing
