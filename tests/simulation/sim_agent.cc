#include "tests/simulation/sim_agent.h"

#include "events/codec/ack_mac.h"
#include "events/log/log_errors.h"
#include "events/log/orders_partition.h"

namespace berth::simulation {
namespace {

constexpr Duration kLongLease = 9 * kSecond;  // with its margin shorter than the longest absence

agents::FakeBackend::Options machine_options(const Hostility& hostility) {
  agents::FakeBackend::Options options;
  options.start_delay = 30 * kMillisecond;
  options.stop_delay = 20 * kMillisecond;
  options.watchdog_delay = hostility.watchdog_delay;
  options.keeps_record = true;
  return options;
}

v1::AgentJoined make_profile(const std::string& name) {
  v1::AgentJoined profile;
  profile.set_agent(name);
  profile.set_group("default");
  profile.set_architecture("x86_64");
  auto add = [](auto* slots, const char* slot, std::int64_t amount) {
    auto* s = slots->Add();
    s->set_slot(slot);
    s->set_amount(amount);
  };
  add(profile.mutable_slots(), "cpu", 4 * kUnit);
  add(profile.mutable_slots(), "mem", 8ll << 30);
  auto* device = profile.add_devices();
  device->set_id("gpu0");
  add(device->mutable_slots(), "cuda.shares", 2 * kUnit);
  profile.set_backend("fake");
  return profile;
}

}  // namespace

SimAgent::SimAgent(const SimCluster& cluster, std::string name, std::uint64_t seed,
                   const Hostility& hostility)
    : cluster_(cluster),
      name_(std::move(name)),
      random_(seed),
      signer_(cluster.cluster, "agent:" + name_, 1, derive_key(cluster.secret, "agent:" + name_, 1)),
      profile_(make_profile(name_)),
      machine_(machine_options(hostility)),
      has_long_leases_(hostility.long_leases) {}

// Every other life asks for less than the one before, whose kernels may still run.
Duration SimAgent::lease_of_life() const { return has_long_leases_ && lives_ % 2 == 1 ? kLongLease : kLease; }

void SimAgent::start(const Instant& now) {
  log_ = std::make_unique<HangingLog>(cluster_.server->connect());
  const Partition orders = orders_partition(cluster_.layout, name_);
  reader_ = std::move(
      *log_->open_reader({{orders, cluster_.server->extent(orders).end},
                          {{Stream::kHealth, 0}, cluster_.server->extent({Stream::kHealth, 0}).end}}));
  agents::AgentProfile profile;
  profile.announced = profile_;
  profile.needs_image = false;
  machine_.pump(now);
  const auto recovered =
      machine_.recover([this](const agents::KernelEvent& event) { events_.push_back(event); });
  profile.leased_until = machine_.leased_until();
  agents::AgentTimes times;
  ++lives_;
  times.lease = lease_of_life();
  agent_ = std::make_unique<agents::Agent>(profile, times, *recovered);
}

void SimAgent::crash() {
  machine_.crash();
  agent_.reset();
  reader_.reset();
  log_.reset();
  events_.clear();
  reports_.clear();
  report_in_flight_ = false;
  hang_ = {};
}

void SimAgent::reboot() {
  crash();
  machine_.power_failure();
}

void SimAgent::let_a_program_die(Rng& rng) {
  const auto running = machine_.running();
  if (running.empty()) return;
  const auto& key = running[rng.below(running.size())];
  if (rng.chance(1, 2))
    machine_.end(key, agents::KernelEnd::kExited, 0);
  else
    machine_.end(key, agents::KernelEnd::kSignalled, 139);
}

void SimAgent::machine_turn(const Instant& now) { machine_.pump(now); }

void SimAgent::turn(const Instant& now) {
  if (!up()) return;
  const bool hangs = now.boottime < hang_.until;
  log_->hold(hangs && hang_.appends, hangs && hang_.outcomes);
  agents::AgentOutputs out;
  auto events = std::exchange(events_, {});
  for (const auto& event : events) agent_->step(event, now, out);
  if (!cut_off_ && !(hangs && hang_.inputs)) read(now, out);
  agent_->step(agents::Tick{}, now, out);
  if (out.join_wanted) {
    out.join_wanted = false;
    agent_->step(agents::JoinIds{random_.uuid(), random_.uuid()}, now, out);
  }
  agent_->flush(now, out);
  carry_out(out, now);
}

void SimAgent::read(const Instant& now, agents::AgentOutputs& out) {
  std::vector<LogEntry> entries;
  const auto polled = reader_->poll(0, 256, 1u << 20, entries);
  if (!polled && is_out_of_range(polled.error())) {
    const Partition orders = orders_partition(cluster_.layout, name_);
    reader_->seek(orders, cluster_.server->extent(orders).end);
    reader_->seek({Stream::kHealth, 0}, cluster_.server->extent({Stream::kHealth, 0}).end);
    agent_->step(agents::OrdersRewound{}, now, out);
  }
  for (const auto& entry : entries) {
    if (entry.gap) continue;
    if (entry.partition.stream == Stream::kHealth) {
      const auto envelope = open_envelope(entry.payload, cluster_.cluster);
      v1::Acks acks;
      if (!envelope || !envelope->writer.empty() ||
          !acks.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())))
        continue;
      for (const auto& ack : acks.acks())
        if (ack.agent() == name_ && ack_mac_fits(signer_.key(), cluster_.cluster, acks, ack))
          agent_->step(
              agents::AckArrived{acks.epoch(), Uuid::from_bytes(acks.election_nonce()).value_or(Uuid{}), ack},
              now, out);
      continue;
    }
    const auto envelope = open_signed(signer_, Channel::kOrder, entry.payload);
    v1::Order order;
    if (envelope && order.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())))
      agent_->step(agents::OrderArrived{order}, now, out);
  }
}

void SimAgent::carry_out(agents::AgentOutputs& out, const Instant&) {
  for (auto& command : out.commands) {
    if (auto* start = std::get_if<agents::StartCommand>(&command))
      machine_.start(start->spec, start->rootfs);
    else if (auto* stop = std::get_if<agents::StopCommand>(&command))
      machine_.stop(stop->key, stop->grace);
    else if (auto* forget = std::get_if<agents::ForgetCommand>(&command))
      machine_.forget(forget->key);
    else if (auto* renew = std::get_if<agents::RenewLeases>(&command))
      machine_.renew_leases(renew->until);
  }
  for (const auto& report : out.reports)
    reports_.push_back(signer_.sign(Channel::kReport, report.SerializeAsString()));
  append_oldest();
  if (cut_off_) return;  // beats that cannot leave are worth nothing later
  for (const auto& beat : out.beats)
    log_->append({Stream::kHealth, 0}, name_, signer_.sign(Channel::kBeat, beat.SerializeAsString()), {});
}

void SimAgent::append_oldest() {
  if (cut_off_ || report_in_flight_ || reports_.empty()) return;
  report_in_flight_ = true;
  log_->append(reports_partition(cluster_.layout, name_), name_, reports_.front(),
               [this](const AppendResult& result) {
                 report_in_flight_ = false;
                 if (result.state == AppendState::kDurable) reports_.pop_front();
               });
}

}  // namespace berth::simulation
