#include "controller/api/live/operations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "controller/api/map/json_values.h"
#include "controller/api/routes/metrics.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using Histogram = prometheus::ClientMetric::Histogram;
using projections::AgentState, projections::SessionStatus;

constexpr std::size_t kAgentsMax = 2'000;  // of an answer

// In the order in which values_of() fills them.
std::vector<SeriesName> names_of_series() {
  return {{"throughput", "1/s", "of", "events"},
          {"throughput", "1/s", "of", "placements"},
          {"throughput", "1/s", "of", "requests"},
          {"throughput", "1/s", "of", "orders"},
          {"throughput", "1/s", "of", "api"},
          {"latency_p50", "s", "stage", "request"},
          {"latency_p50", "s", "stage", "queue"},
          {"latency_p50", "s", "stage", "pass"},
          {"latency_p50", "s", "stage", "start"},
          {"latency_p95", "s", "stage", "request"},
          {"latency_p95", "s", "stage", "queue"},
          {"latency_p95", "s", "stage", "pass"},
          {"latency_p95", "s", "stage", "start"},
          {"sessions", "count", "state", "waiting"},
          {"sessions", "count", "state", "starting"},
          {"sessions", "count", "state", "running"},
          {"sessions", "count", "state", "ending"},
          {"agents", "count", "state", "alive"},
          {"agents", "count", "state", "lost"},
          {"oldest_beat", "s", "", ""},
          {"projection_lag", "count", "", ""},
          {"leader_epoch", "count", "", ""},
          {"quarantine", "count", "", ""},
          {"store_age", "s", "", ""},
          {"store_bytes", "bytes", "", ""},
          {"disk_used", "bytes", "", ""}};
}

double in_seconds(Duration duration) { return static_cast<double>(duration) / kSecond; }

struct InState {
  std::array<double, 4> sessions{};  // waiting, starting, running, ending
  double alive = 0, lost = 0, quarantine = 0;
  std::uint64_t epoch = 0;
  std::string leader;
};

std::optional<std::size_t> phase_of(SessionStatus status) {
  if (projections::is_waiting(status)) return 0;
  if (status == SessionStatus::kRunning) return 2;
  if (status == SessionStatus::kTerminating) return 3;
  if (projections::is_end(status)) return std::nullopt;
  return 1;
}

InState look(ApiContext& context) {
  InState out;
  context.with_state([&](const StateView& view) {
    view.state.sessions.for_each_unordered([&](const projections::SessionRow& row) {
      if (const auto phase = phase_of(row.status)) ++out.sessions[*phase];
    });
    view.state.agents.for_each_unordered([&](const projections::AgentRow& row) {
      if (row.state == AgentState::kAlive) ++out.alive;
      if (row.state == AgentState::kLost) ++out.lost;
    });
    out.quarantine = static_cast<double>(view.state.quarantine.size());
    out.epoch = view.state.epoch().epoch;
    out.leader = view.state.epoch().controller;
  });
  return out;
}

double oldest_beat(const NodeFacts& facts, Timestamp boottime) {
  if (!facts.hears_beats || facts.beats.empty()) return OperationsRing::kNone;
  const auto oldest = std::ranges::min_element(facts.beats, {}, &AgentBeat::heard);
  return in_seconds(std::max<Duration>(0, boottime - oldest->heard));
}

// Counters start anew with the process, never within a ring.
double rate(std::uint64_t before, std::uint64_t after, Duration took) {
  if (took <= 0 || after < before) return OperationsRing::kNone;
  return static_cast<double>(after - before) / in_seconds(took);
}

json::array agents_json(ApiContext& context, const NodeFacts& facts, Timestamp boottime) {
  std::map<std::string, Timestamp> heard;
  for (const AgentBeat& beat : facts.beats) heard[beat.agent] = beat.heard;
  std::map<std::string, AgentState> states;
  context.with_state([&](const StateView& view) {
    view.state.agents.for_each_unordered(
        [&](const projections::AgentRow& row) { states[row.name] = row.state; });
  });
  json::array out;
  for (const auto& [name, state] : states) {
    if (out.size() == kAgentsMax) break;
    json::object agent{{"name", name}, {"state", name_of(state)}, {"last_beat", nullptr}};
    agent["beat_age_seconds"] = nullptr;
    if (const auto it = heard.find(name); it != heard.end()) {
      const Duration age = std::max<Duration>(0, boottime - it->second);
      agent["last_beat"] = time_or_null(context.now() - age);
      agent["beat_age_seconds"] = in_seconds(age);
    }
    out.push_back(std::move(agent));
  }
  return out;
}

}  // namespace

double percentile_between(const Histogram& before, const Histogram& after, int percent) {
  if (after.bucket.empty() || after.sample_count <= before.sample_count) return OperationsRing::kNone;
  const auto count_before = [&](std::size_t i) {
    return i < before.bucket.size() ? before.bucket[i].cumulative_count : 0;
  };
  const double all = static_cast<double>(after.sample_count - before.sample_count);
  const double wanted = all * percent / 100;
  double below = 0, from = 0;
  for (std::size_t i = 0; i < after.bucket.size(); ++i) {
    const double reached = static_cast<double>(after.bucket[i].cumulative_count - count_before(i));
    const double bound = after.bucket[i].upper_bound;
    if (reached >= wanted)
      return std::isinf(bound) ? from : from + (bound - from) * (wanted - below) / (reached - below);
    below = reached;
    from = bound;
  }
  return from;
}

Operations::Operations(ApiContext& context, const Metrics& metrics, Workers& quick, Turns& turns)
    : context_(context), metrics_(metrics), quick_(quick), turns_(turns), ring_(names_of_series()) {}

void Operations::start() {
  quick_.post_after(std::chrono::milliseconds(kSampleEvery / kMillisecond), [this] {
    turns_.go_on("controller", Turns::Work::kShort, [this] {
      sample();
      start();
    });
  });
}

Operations::Counted Operations::count() const {
  return {context_.clock().now().boottime, context_.node_facts(), metrics_.answered(), metrics_.writes()};
}

void Operations::sample() {
  const std::lock_guard lock(sampling_);
  Counted now = count();
  const Timestamp time = context_.now();
  std::vector<double> values = values_of(now);
  before_ = std::move(now);
  ring_.add(time, std::move(values));
}

std::vector<double> Operations::values_of(const Counted& now) {
  const InState state = look(context_);
  ring_.saw_leader(state.epoch, state.leader, context_.now());
  const bool first = before_.boottime == 0;
  const Duration took = first ? 0 : now.boottime - before_.boottime;
  const NodeFacts &was = before_.facts, &is = now.facts;
  std::vector<double> out = {rate(was.events_applied, is.events_applied, took),
                             rate(was.placements, is.placements, took), rate(was.requests, is.requests, took),
                             rate(was.orders, is.orders, took), rate(before_.answered, now.answered, took)};
  using Two = std::pair<const Histogram*, const Histogram*>;
  for (const int percent : {50, 95})
    for (const auto& [then, since] : {Two(&before_.writes, &now.writes), Two(&was.queue_wait, &is.queue_wait),
                                      Two(&was.pass, &is.pass), Two(&was.start, &is.start)})
      out.push_back(first ? OperationsRing::kNone : percentile_between(*then, *since, percent));
  out.insert(out.end(), state.sessions.begin(), state.sessions.end());
  out.insert(out.end(), {state.alive, state.lost, oldest_beat(is, now.boottime), static_cast<double>(is.lag),
                         static_cast<double>(state.epoch), state.quarantine});
  out.push_back(is.flushed_at == 0 ? OperationsRing::kNone : in_seconds(now.boottime - is.flushed_at));
  out.push_back(is.space ? static_cast<double>(is.space->store) : OperationsRing::kNone);
  out.push_back(is.space ? static_cast<double>(is.space->used) : OperationsRing::kNone);
  return out;
}

json::object Operations::json(Duration window) {
  const Timestamp boottime = context_.clock().now().boottime;
  const Timestamp time = context_.now();
  const NodeFacts facts = context_.node_facts();
  const ClusterFacts cluster = context_.facts();
  json::object out = ring_.json(static_cast<std::size_t>(window / kSampleEvery));
  out["from"] = time_or_null(time - window);
  out["to"] = time_or_null(time);
  out["step_seconds"] = kSampleEvery / kSecond;
  std::string position = "0";
  const InState state = look(context_);
  context_.with_state([&](const StateView& view) { position = std::to_string(view.position); });
  json::value since;
  if (const auto& epochs = out["epochs"].as_array();
      !epochs.empty() && epochs.back().at("epoch").to_number<std::uint64_t>() == state.epoch)
    since = epochs.back().at("since");
  out["leader"] = nullptr;
  if (state.epoch != 0)
    out["leader"] = json::object{{"id", state.leader}, {"epoch", state.epoch}, {"since", std::move(since)}};
  json::object store{{"name", cluster.controller}, {"role", cluster.leading ? "leader" : "follower"}};
  store["position"] = position;
  store["lag_records"] = facts.lag;
  store["bytes"] = facts.space ? json::value(facts.space->store) : json::value(nullptr);
  out["stores"] = json::array{std::move(store)};
  out["disks"] = json::array{};
  if (facts.space)
    out["disks"].as_array().push_back(json::object{
        {"name", "data"}, {"used_bytes", facts.space->used}, {"total_bytes", facts.space->size}});
  out["quarantine"] = json::object{{"count", static_cast<std::int64_t>(state.quarantine)}};
  out["agents"] = agents_json(context_, facts, boottime);
  return out;
}

}  // namespace berth::controller::api
