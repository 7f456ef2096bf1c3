#include "bench/why_world.h"

#include <cstring>

#include "events/codec/words/codes.h"

namespace berth::bench {

namespace {

constexpr Amount kGiBOfWorld = 1ll << 30;
constexpr Amount kTenth = kUnit / 10;

SessionId waiting_session_id(std::uint64_t number) {
  SessionId id;
  const std::uint64_t mixed = number * 0x9E3779B97F4A7C15ull;
  std::memcpy(id.bytes.data(), &mixed, sizeof mixed);
  std::memcpy(id.bytes.data() + 8, &number, sizeof number);
  return id;
}

std::string wire_id(const Uuid& id) { return std::string(id.view()); }

template <class M> void add_slot(M* to, const char* name, Amount amount) {
  auto* slot = to->add_slots();
  slot->set_slot(name);
  slot->set_amount(amount);
}

}  // namespace

WhyWorld::WhyWorld(std::uint64_t agents, std::uint64_t seed, const WhyPolicy& policy)
    : rng_(seed), policy_(policy) {
  for (const char* name : {"cpu", "mem", "cuda.shares"}) {
    v1::Event event;
    event.mutable_slot_type_registered()->set_name(name);
    event.mutable_slot_type_registered()->set_kind(
        static_cast<std::int32_t>(name == std::string("mem") ? SlotKind::kBytes : SlotKind::kCount));
    cell_.add(event);
  }
  define({});
  add_agents(agents);
}

void WhyWorld::define(const WhyPolicy& policy) {
  v1::Event event;
  auto* group = event.mutable_resource_group_defined();
  group->set_name("default");
  group->set_order(policy.order);
  group->set_head_of_line(policy.head_of_line);
  group->mutable_preemption()->set_enabled(policy.preempt);
  cell_.add(event);
  cell_.close();
}

void WhyWorld::add_agents(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    v1::Event enrolled, event;
    auto* agent = event.mutable_agent_joined();
    agent->set_agent("agent-" + std::to_string(1'000'000 + i));
    agent->set_incarnation(wire_id(waiting_session_id(i + 1)));
    agent->set_nonce(wire_id(waiting_session_id(i + 1)));
    agent->set_sent_ms(cell_.now() / kMillisecond);
    agent->set_group("default");
    agent->set_architecture(i % 16 == 0 ? "aarch64" : "x86_64");
    const std::uint64_t kind = i % 4;  // half CPU only; 8 whole GPUs; 4 GPUs cut into two
    add_slot(agent, "cpu", (kind == 2 ? 96 : 64) * kUnit);
    add_slot(agent, "mem", (kind == 2 ? 1024 : 256) * kGiBOfWorld);
    const std::uint64_t gpus = kind == 2 ? 8 : kind == 3 ? 4 : 0;
    for (std::uint64_t gpu = 0; gpu < gpus; ++gpu) {
      auto* device = agent->add_devices();
      device->set_id("gpu" + std::to_string(gpu));
      add_slot(device, "cuda.shares", (kind == 3 ? 2 : 1) * kUnit);
    }
    agent->set_max_containers(1'000);
    enrolled.mutable_agent_enrolled()->set_agent(agent->agent());
    enrolled.mutable_agent_enrolled()->set_generation(1);
    cell_.add(enrolled);
    cell_.add(event);
  }
  cell_.close();
}

// Some hundred different requests: a third CPU only, most of the rest parts of a GPU, some gangs, some of one
// architecture.
void WhyWorld::ask() {
  asked_.push_back(waiting_session_id(asked_.size() + 1));
  v1::Event event;
  auto* asked = event.mutable_session_requested();
  asked->set_session_id(wire_id(asked_.back()));
  asked->set_name("s" + std::to_string(asked_.size()));
  asked->set_number(1);
  asked->set_count(1);
  asked->mutable_owner()->set_domain("default");
  asked->mutable_owner()->set_project("default");
  asked->mutable_owner()->set_user("u" + std::to_string(rng_.below(200)));
  v1::SessionSpec* spec = asked->mutable_spec();
  spec->set_group("default");
  spec->set_type(v1::BATCH);
  spec->add_command("true");
  spec->set_priority(rng_.chance(1, 10) ? 20 : 10);
  spec->set_job_priority(asked_.size() % 16 == 0 ? 5 : 0);                // these look for victims
  if (asked_.size() % 3 != 0) spec->set_batch_timeout_ms(3'600 * 1'000);  // these have an end to count on
  auto* role = spec->add_roles();
  role->set_role("main");
  role->set_count(1);
  add_slot(role, "cpu", static_cast<Amount>(1 + rng_.below(8)) * 2 * kUnit);
  add_slot(role, "mem", static_cast<Amount>(1 + rng_.below(4)) * 8 * kGiBOfWorld);
  if (!rng_.chance(1, 3))
    add_slot(role, "cuda.shares",
             kTenth * (rng_.chance(1, 3) ? 10 * static_cast<Amount>(1 + rng_.below(4))
                                         : static_cast<Amount>(1 + rng_.below(9))));
  spec->set_mode(v1::SINGLE_NODE);
  if (rng_.chance(1, 20)) {
    role->set_count(4);
    spec->set_mode(v1::MULTI_NODE);
  }
  if (rng_.chance(1, 20)) role->set_architecture("aarch64");
  cell_.add(event);
}

// ---- passes ----

void WhyWorld::run_passes() {
  while (placement::pass(cell_.leader(), "default", {1'000, false, false, cell_.now()}, *this).more) {}
}

template <class M>
void WhyWorld::name_places(const SessionId& session, std::span<const placement::KernelPlacement> kernels,
                           M* event) {
  const placement::Cluster& cluster = cell_.leader();
  event->set_session_id(wire_id(session));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    auto* place = event->add_placements();
    const auto index = static_cast<std::uint32_t>(i + 1);
    place->set_kernel_id(wire_id(projections::derive_kernel_id(session, Uuid{}, "main", index)));
    place->set_role("main");
    place->set_index(index);
    place->set_agent(std::string(cluster.agent_name(kernels[i].agent)));
    for (const auto& share : kernels[i].devices) {
      auto* device = place->add_devices();
      device->set_device(std::string(cluster.device_name(kernels[i].agent, share.device)));
      device->set_slot(std::string(cluster.slot_name(share.slot)));
      device->set_amount(share.amount);
    }
  }
}

void WhyWorld::placed(const SessionId& session, std::span<const placement::KernelPlacement> kernels) {
  name_places(session, kernels, decided_.emplace_back().mutable_session_scheduled());
  decided_.back().mutable_session_scheduled()->set_attempt(1);
}

void WhyWorld::refused(const SessionId& session, placement::Reason reason) {
  auto* event = decided_.emplace_back().mutable_session_reason_changed();
  event->set_session_id(wire_id(session));
  event->set_code(wire(placement::code_of(reason.code)));
  if (reason.slot != placement::kNoSlot) event->set_slot(std::string(cell_.leader().slot_name(reason.slot)));
}

void WhyWorld::preempted(const SessionId& victim, const SessionId& preemptor, placement::PreemptMode) {
  auto* event = decided_.emplace_back().mutable_session_terminating();
  event->set_session_id(wire_id(victim));
  event->set_reason(v1::CODE_PREEMPTED);
  event->set_preemptor(wire_id(preemptor));
  victims_.push_back(victim);
}

void WhyWorld::reserved(const SessionId& session, std::span<const placement::KernelPlacement> kernels) {
  name_places(session, kernels, decided_.emplace_back().mutable_session_reserved());
}

void WhyWorld::unreserved(const SessionId& session) {
  decided_.emplace_back().mutable_session_unreserved()->set_session_id(wire_id(session));
}

// ---- what becomes of the decisions ----

void WhyWorld::record() {
  for (const v1::Event& event : decided_) {
    cell_.add(event);
    if (event.has_session_scheduled()) start(event.session_scheduled());
  }
  decided_.clear();
  for (const SessionId& victim : victims_) {
    end(victim);
    std::erase(running_, victim);
  }
  victims_.clear();
  cell_.close();
}

void WhyWorld::start(const v1::SessionScheduled& scheduled) {
  for (const auto& place : scheduled.placements()) {
    v1::Event event;
    auto* running = event.mutable_kernel_running();
    running->set_kernel_id(place.kernel_id());
    running->set_attempt(1);
    running->set_started_ns(cell_.now());
    running->set_pid(4242);
    cell_.add(event);
  }
  running_.push_back(SessionId(Uuid::from_bytes(scheduled.session_id()).value_or(Uuid{})));
}

void WhyWorld::end(const SessionId& session) {
  const std::vector<KernelId> kernels = cell_.state().sessions.find(session)->kernel_ids;
  for (const KernelId& kernel : kernels) {
    v1::Event event;
    auto* ended = event.mutable_kernel_terminated();
    ended->set_kernel_id(wire_id(kernel));
    ended->set_attempt(1);
    ended->set_end(v1::EXITED);
    ended->set_started_ns(cell_.now());
    ended->set_ended_ns(cell_.now());
    cell_.add(event);
  }
}

// Greedy while it fills, whatever the policy: a strict queue would stand still long before the cluster is
// full.
void WhyWorld::fill(std::uint64_t waiting) {
  while (cell_.leader().pending_count() < waiting) {
    for (int i = 0; i < 1'000 && cell_.leader().pending_count() < waiting; ++i) ask();
    cell_.close();
    run_passes();
    record();
  }
  define(policy_);
  for (int i = 0; i < 4; ++i) {
    run_passes();
    record();
  }
}

void WhyWorld::end_some(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count && !running_.empty(); ++i) {
    const std::size_t at = rng_.below(running_.size());
    end(running_[at]);
    running_[at] = running_.back();
    running_.pop_back();
    ask();
  }
  cell_.close();
}

const SessionId& WhyWorld::pick_waiting() {
  for (;;) {
    const SessionId& id = asked_[rng_.below(asked_.size())];
    if (cell_.leader().is_pending(id)) return id;
  }
}

}  // namespace berth::bench
