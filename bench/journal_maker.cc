#include "bench/journal_maker.h"

#include "events/base/amount.h"
#include "events/codec/envelope.h"

namespace berth::bench {
namespace {

constexpr std::uint32_t kKernelsPerAgent = 64;

std::string wire(const Uuid& id) { return std::string(id.view()); }

void set_slot(v1::SlotAmount* slot, const char* name, Amount amount) {
  slot->set_slot(name);
  slot->set_amount(amount);
}

v1::SessionSpec make_spec(std::uint32_t number) {
  v1::SessionSpec spec;
  spec.set_type(number % 2 == 0 ? v1::BATCH : v1::INTERACTIVE);
  spec.set_image("python:3.11");
  spec.set_group("default");
  spec.set_priority(10);
  spec.set_max_attempts(5);
  spec.set_architecture("x86_64");
  spec.set_pending_timeout_ms(3'600'000);
  if (number % 2 == 0) spec.add_command("train-" + std::to_string(number));
  auto* main = spec.add_roles();
  main->set_role("main");
  main->set_count(1);
  set_slot(main->add_slots(), "cpu", (1 + number % 8) * kUnit);
  set_slot(main->add_slots(), "mem", (1 + number % 16) * (Amount{1} << 30));
  return spec;
}

v1::Owner owner(std::uint64_t number) {
  v1::Owner owner;
  owner.set_domain("default");
  owner.set_project("default");
  owner.set_user("user" + std::to_string(number));
  return owner;
}

}  // namespace

JournalMaker::JournalMaker(JournalSigner signer, JournalShape shape)
    : signer_(std::move(signer)), shape_(shape), rng_(shape.seed), free_(shape.agents, kKernelsPerAgent) {
  for (std::uint32_t i = 0; i < 64; ++i) specs_.push_back(make_spec(i));
}

v1::Event* JournalMaker::add() {
  ++events_;
  return record_.add_events();
}

std::string JournalMaker::next() {
  record_.Clear();
  if (sequence_ == 0 && link_.empty()) {
    auto* elected = add()->mutable_controller_elected();
    elected->set_controller("bench");
    elected->set_nonce(wire(rng_.uuid()));
    elected->mutable_claim()->set_rolling(std::string(32, '\0'));
    elected->set_rules(kRules);
    return unsigned_payload();
  }
  ++sequence_;
  if (sequence_ == 1)
    first_record();
  else
    for (std::uint32_t i = 0; i < shape_.events_per_record; ++i) {
      if (live_.size() < shape_.live) ask();
      if (live_.size() >= shape_.live || rng_.chance(3, 4)) move(rng_.below(live_.size()));
    }
  return unsigned_payload();
}

std::string JournalMaker::unsigned_payload() {
  auto* header = record_.mutable_header();
  header->set_epoch(1);
  header->set_sequence(sequence_);
  header->set_link(link_);
  time_ += shape_.between_events * record_.events_size();
  header->set_time_ns(time_);
  std::string payload = signer_.sign(record_.SerializeAsString());
  link_ = std::string(as_view(blake2b_256(payload)));
  return payload;
}

void JournalMaker::first_record() {
  for (const char* name : {"cpu", "mem"}) {
    auto* type = add()->mutable_slot_type_registered();
    type->set_name(name);
    type->set_kind(name[0] == 'm' ? 1 : 0);
  }
  add()->mutable_resource_group_defined()->set_name("default");
  add()->mutable_image_registered()->set_reference("python:3.11");
  for (std::uint32_t i = 0; i < shape_.agents; ++i) {
    const std::string name = "agent" + std::to_string(i);
    add()->mutable_agent_enrolled()->set_agent(name);
    auto* joined = add()->mutable_agent_joined();
    joined->set_agent(name);
    joined->set_incarnation(wire(rng_.uuid()));
    joined->set_nonce(wire(rng_.uuid()));
    joined->set_sent_ms(time_ / kMillisecond);
    joined->set_group("default");
    set_slot(joined->add_slots(), "cpu", kKernelsPerAgent * 8 * kUnit);
    set_slot(joined->add_slots(), "mem", kKernelsPerAgent * 16 * (Amount{1} << 30));
  }
}

void JournalMaker::ask() {
  Session session;
  session.id = SessionId(rng_.uuid());
  const std::uint64_t user = rng_.below(500);
  v1::Event* event = add();
  event->set_actor("user:user" + std::to_string(user));
  event->set_request_id(wire(rng_.uuid()));
  auto* body = event->mutable_session_requested();
  body->set_session_id(wire(session.id));
  body->set_name("job-" + std::to_string(asked_++));
  *body->mutable_owner() = owner(user);
  *body->mutable_spec() = specs_[rng_.below(specs_.size())];
  event->set_body_hash(wire(rng_.uuid()));
  body->set_number(1);
  body->set_count(1);
  live_.push_back(session);
}

void JournalMaker::place(Session& session) {
  do session.agent = static_cast<std::uint32_t>(rng_.below(free_.size()));
  while (free_[session.agent] == 0);
  --free_[session.agent];
  session.kernel = KernelId(rng_.uuid());
  auto* body = add()->mutable_session_scheduled();
  body->set_session_id(wire(session.id));
  body->set_attempt(1);
  auto* placement = body->add_placements();
  placement->set_kernel_id(wire(session.kernel));
  placement->set_role("main");
  placement->set_index(1);
  placement->set_agent("agent" + std::to_string(session.agent));
}

void JournalMaker::move(std::size_t at) {
  Session& session = live_[at];
  const auto set_kernel = [&](auto* body) {
    body->set_kernel_id(wire(session.kernel));
    body->set_attempt(1);
    return body;
  };
  switch (session.stage) {
    case Stage::kPending:
      if (rng_.chance(1, 10)) {
        auto* body = add()->mutable_session_reason_changed();
        body->set_session_id(wire(session.id));
        body->set_code(v1::CODE_NO_CAPACITY);
        body->set_slot("cpu");
        return;
      }
      place(session);
      break;
    case Stage::kScheduled: set_kernel(add()->mutable_kernel_preparing()); break;
    case Stage::kPreparing: {
      auto* body = set_kernel(add()->mutable_kernel_running());
      body->set_started_ns(time_);
      body->set_pid(4242);
      break;
    }
    case Stage::kRunning: {
      auto* body = add()->mutable_session_terminating();
      body->set_session_id(wire(session.id));
      body->set_reason(v1::CODE_USER_REQUESTED);
      break;
    }
    case Stage::kTerminating: {
      auto* body = set_kernel(add()->mutable_kernel_terminated());
      body->set_end(v1::STOPPED);
      body->set_ended_ns(time_);
      ++free_[session.agent];
      session = live_.back();
      live_.pop_back();
      return;
    }
  }
  session.stage = static_cast<Stage>(static_cast<int>(session.stage) + 1);
}

}  // namespace berth::bench
