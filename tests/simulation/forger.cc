#include "tests/simulation/forger.h"

#include <algorithm>

#include "events/codec/envelope.h"
#include "events/log/orders_partition.h"
#include "events/schema/v1/order.pb.h"
#include "events/schema/v1/record.pb.h"
#include "events/schema/v1/report.pb.h"

namespace berth::simulation {

using projections::AgentRow;
using projections::KernelRow;
using projections::State;

Forger::Forger(const SimCluster& cluster, std::uint64_t seed)
    : cluster_(cluster), rng_(seed ^ 0xF063E2), log_(cluster.server->connect()) {}

void Forger::append(Partition partition, Channel channel, const std::string& writer,
                    const std::string& body) {
  std::string payload;
  switch (rng_.below(3)) {
    case 0: payload = make_envelope(cluster_.cluster, body); break;  // not signed at all
    case 1: {                                                        // by another secret
      const Signer other(cluster_.cluster, writer, 1, derive_key(std::string(32, 'x'), writer, 1));
      payload = other.sign(channel, body);
      break;
    }
    default: {  // in the writer's name, with a MAC of zeros
      Envelope envelope;
      envelope.cluster = cluster_.cluster;
      envelope.writer = writer;
      envelope.generation = 1;
      envelope.body = body;
      payload = make_envelope(envelope);
    }
  }
  log_->append(partition, "forger", std::move(payload), {});
}

const AgentRow* Forger::some_agent(const State& view) {
  const auto names = view.agents.sorted_keys();
  return names.empty() ? nullptr : view.agents.find(names[rng_.below(names.size())]);
}

const KernelRow* Forger::some_kernel(const State& view) {
  const auto ids = view.kernels.sorted_keys();
  const KernelRow* kernel = ids.empty() ? nullptr : view.kernels.find(ids[rng_.below(ids.size())]);
  return kernel != nullptr && kernel->holds_slots() ? kernel : nullptr;
}

void Forger::forge(const State& view, const Instant& now) {
  switch (rng_.below(6)) {
    case 0: return forge_request(view, now);
    case 1: return forge_report(view, now);
    case 2: return forge_order(view);
    case 3: return forge_beat(view, now);
    case 4: return forge_acks(view);
    default: return forge_heartbeat(view, now);
  }
}

void Forger::forge_request(const State& view, const Instant& now) {
  v1::Request request;
  request.set_id(std::string(rng_.uuid().view()));
  request.set_actor(kForgedActor);
  request.set_sent_ms(now.wall / kMillisecond);
  if (const KernelRow* kernel = some_kernel(view)) {
    request.mutable_terminate_session()->set_session_id(std::string(kernel->session.view()));
  } else {
    auto* body = request.mutable_request_session();
    body->set_name(std::string(kForged) + "-" + std::to_string(rng_.below(1'000'000)));
    request.mutable_owner()->set_user("u1");
    auto* role = body->mutable_spec()->add_roles();
    body->mutable_spec()->set_group("default");
    role->set_role("main");
    auto* slot = role->add_slots();
    slot->set_slot("cpu");
    slot->set_amount(kUnit);
  }
  const auto partition = static_cast<std::uint32_t>(rng_.below(cluster_.layout.requests));
  append({Stream::kRequests, partition}, Channel::kRequest, "api:sim", request.SerializeAsString());
}

// An end of what runs, or a join.
void Forger::forge_report(const State& view, const Instant& now) {
  const KernelRow* kernel = some_kernel(view);
  const AgentRow* agent = kernel != nullptr ? view.agents.find(kernel->agent) : some_agent(view);
  if (agent == nullptr) return;
  v1::Report report;
  report.set_agent(agent->name);
  report.set_incarnation(std::string(agent->incarnation.view()));
  report.set_sent_ms(now.wall / kMillisecond);
  if (kernel != nullptr && rng_.chance(2, 3)) {
    auto* fact = report.add_facts();
    fact->set_kernel_id(std::string(kernel->id.view()));
    fact->set_attempt(kernel->attempt);
    fact->set_state(v1::TERMINATED);
    fact->set_end(v1::EXITED);
    fact->set_message(kForged);
  } else {
    report.set_incarnation(std::string(rng_.uuid().view()));
    report.mutable_join()->set_nonce(std::string(rng_.uuid().view()));
    report.mutable_join()->mutable_agent()->set_agent(agent->name);
    report.mutable_join()->mutable_agent()->set_group("default");
    report.mutable_join()->mutable_agent()->set_version(kForged);
  }
  append(reports_partition(cluster_.layout, agent->name), Channel::kReport, "agent:" + agent->name,
         report.SerializeAsString());
}

// A kernel that nobody asked for, at the place after the agent's last order.
void Forger::forge_order(const State& view) {
  const AgentRow* agent = some_agent(view);
  const auto* cursor = agent != nullptr ? view.order_cursors.find(agent->name) : nullptr;
  if (cursor == nullptr) return;
  v1::Order order;
  order.set_agent(agent->name);
  order.set_epoch(view.epoch().epoch);
  order.set_election_nonce(std::string(view.epoch().nonce.view()));
  order.set_incarnation(std::string(agent->incarnation.view()));
  projections::to_proto(cursor->last, order.mutable_previous());
  projections::to_proto(cursor->last, order.mutable_position());
  order.mutable_position()->set_index(order.position().index() + 1);
  auto* start = order.add_start();
  start->set_kernel_id(std::string(rng_.uuid().view()));
  start->set_session_id(std::string(rng_.uuid().view()));
  start->set_attempt(1);
  start->set_role("main");
  start->set_index(1);
  append(orders_partition(cluster_.layout, agent->name), Channel::kOrder, "agent:" + agent->name,
         order.SerializeAsString());
}

void Forger::forge_beat(const State& view, const Instant& now) {
  const AgentRow* agent = some_agent(view);
  if (agent == nullptr) return;
  v1::Beat beat;
  beat.set_agent(agent->name);
  beat.set_incarnation(std::string(agent->incarnation.view()));
  beat.set_counter(1'000'000 + rng_.below(1'000'000));
  beat.set_boottime_ns(now.boottime);
  beat.set_wall_ms(now.wall / kMillisecond);
  append({Stream::kHealth, 0}, Channel::kBeat, "agent:" + agent->name, beat.SerializeAsString());
}

// Would prolong leases for ever.
void Forger::forge_acks(const State& view) {
  v1::Acks acks;
  acks.set_epoch(view.epoch().epoch);
  acks.set_election_nonce(std::string(view.epoch().nonce.view()));
  for (const auto& name : view.agents.sorted_keys())
    for (std::uint64_t counter = 1; counter < 40; ++counter) {
      auto* ack = acks.add_acks();
      ack->set_agent(name);
      ack->set_incarnation(std::string(view.agents.find(name)->incarnation.view()));
      ack->set_counter(counter);
      ack->set_mac(std::string(16, '\0'));
    }
  log_->append({Stream::kHealth, 0}, "forger", make_envelope(cluster_.cluster, acks.SerializeAsString()), {});
}

// Of the leader that is, so that no other stands.
void Forger::forge_heartbeat(const State& view, const Instant& now) {
  v1::Heartbeat beat;
  beat.set_controller(view.epoch().controller);
  beat.set_epoch(view.epoch().epoch);
  beat.set_nonce(std::string(view.epoch().nonce.view()));
  beat.set_time_ns(now.wall);
  append({Stream::kControl, 0}, Channel::kControl, controller::kControllerWriter, beat.SerializeAsString());
}

// The next record of the epoch, or an election.
void Forger::forge_record(const projections::Projection& copy, const Instant& now) {
  const auto& epoch = copy.state().epoch();
  v1::Record record;
  auto* header = record.mutable_header();
  header->set_time_ns(std::max(now.wall, epoch.time));
  v1::Event* event = record.add_events();
  event->set_trace(kForged);
  if (rng_.chance(1, 2)) {
    header->set_epoch(epoch.epoch + 1);
    auto* elected = event->mutable_controller_elected();
    elected->set_controller(kForged);
    elected->set_nonce(std::string(rng_.uuid().view()));
    elected->mutable_claim()->set_offset(copy.chain().next());
    elected->mutable_claim()->set_rolling(std::string(as_view(copy.chain().rolling())));
    elected->set_rules(kRules);
  } else {
    header->set_epoch(epoch.epoch);
    header->set_sequence(epoch.sequence + 1);
    header->set_link(epoch.link.data(), epoch.link.size());
    event->mutable_image_registered()->set_reference("forged:1");
    event->mutable_image_registered()->set_source("oci:/forged");
  }
  log_->append({Stream::kJournal, 0}, "forger", make_envelope(cluster_.cluster, record.SerializeAsString()),
               {});
}

}  // namespace berth::simulation
