#include "controller/api/routes/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <map>

#include "controller/api/map/agent_json.h"
#include "controller/api/map/slot_amounts.h"

namespace berth::controller::api {
namespace {

const prometheus::Histogram::BucketBoundaries kSeconds = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20};

double in_base_unit(SlotKind kind, Amount amount) {
  return static_cast<double>(amount) / (kind == SlotKind::kBytes ? 1 : kUnit);
}

// Slots of the agents that are alive, by group; counts in wholes, memory in bytes.
prometheus::MetricFamily slot_sums(const projections::State& state) {
  const SlotKinds kinds(state);
  std::map<std::array<std::string, 3>, double> sums;  // by resource, group, kind
  const auto add = [&](const projections::AgentRow& agent, const char* kind, const auto& amounts) {
    for (const projections::SlotAmount& entry : amounts)
      sums[{entry.slot, agent.group, kind}] += in_base_unit(kinds.kind_of(entry.slot), entry.amount);
  };
  state.agents.for_each_unordered([&](const projections::AgentRow& agent) {
    if (agent.state != projections::AgentState::kAlive) return;
    add(agent, "capacity", total_capacity(agent));
    add(agent, "used", total_taken(state, agent));
  });
  prometheus::MetricFamily family{
      "berth_slots", "Slots of the agents that are alive.", prometheus::MetricType::Gauge, {}};
  for (const auto& [labels, sum] : sums) {
    prometheus::ClientMetric metric;
    metric.label = {{"resource", labels[0]}, {"group", labels[1]}, {"kind", labels[2]}};
    metric.gauge.value = sum;
    family.metric.push_back(std::move(metric));
  }
  return family;
}

}  // namespace

struct Metrics::Families {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests = prometheus::BuildCounter()
                                                          .Name("berth_api_requests_total")
                                                          .Help("Requests answered, by route and status.")
                                                          .Register(registry);
  prometheus::Family<prometheus::Histogram>& seconds = prometheus::BuildHistogram()
                                                           .Name("berth_api_request_seconds")
                                                           .Help("From the request read to the reply ready.")
                                                           .Register(registry);
  prometheus::Family<prometheus::Counter>& rejected = prometheus::BuildCounter()
                                                          .Name("berth_api_rejected_total")
                                                          .Help("Turned away before they had a route.")
                                                          .Register(registry);
  prometheus::Family<prometheus::Counter>& login_failures =
      prometheus::BuildCounter()
          .Name("berth_login_failures_total")
          .Help("Wrong passwords and links that are not valid.")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& app_requests =
      prometheus::BuildCounter()
          .Name("berth_api_app_requests_total")
          .Help("Requests passed on to apps of sessions, by class of status.")
          .Register(registry);
  prometheus::Gauge& app_streams = prometheus::BuildGauge()
                                       .Name("berth_api_app_streams")
                                       .Help("Open connections of clients to apps of sessions.")
                                       .Register(registry)
                                       .Add({});
  prometheus::Family<prometheus::Gauge>& gauges =
      prometheus::BuildGauge().Name("berth_api_connections").Help("Open connections.").Register(registry);
  prometheus::Gauge& connections = gauges.Add({});
  prometheus::Gauge& watchers = prometheus::BuildGauge()
                                    .Name("berth_api_watchers")
                                    .Help("Open event streams.")
                                    .Register(registry)
                                    .Add({});
  prometheus::Gauge& inside_streams = prometheus::BuildGauge()
                                          .Name("berth_api_inside_streams")
                                          .Help("Open programs, terminals and copies in kernels.")
                                          .Register(registry)
                                          .Add({});
  prometheus::Gauge& position = prometheus::BuildGauge()
                                    .Name("berth_journal_position")
                                    .Help("Offset of the last record read back.")
                                    .Register(registry)
                                    .Add({});
  prometheus::Gauge& epoch = prometheus::BuildGauge()
                                 .Name("berth_journal_epoch")
                                 .Help("Epoch of the leader.")
                                 .Register(registry)
                                 .Add({});
  prometheus::Gauge& voids = prometheus::BuildGauge()
                                 .Name("berth_journal_void_records")
                                 .Help("Records without effect, so far.")
                                 .Register(registry)
                                 .Add({});
  prometheus::Gauge& leading = prometheus::BuildGauge()
                                   .Name("berth_controller_leading")
                                   .Help("1 if this controller leads.")
                                   .Register(registry)
                                   .Add({});
  prometheus::Family<prometheus::Gauge>& sessions = prometheus::BuildGauge()
                                                        .Name("berth_sessions")
                                                        .Help("Sessions in the state, by status.")
                                                        .Register(registry);
  prometheus::Family<prometheus::Gauge>& agents =
      prometheus::BuildGauge().Name("berth_agents").Help("Agents, by state.").Register(registry);
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::count_request(const std::string& route, const std::string& method, unsigned status,
                            std::int64_t nanoseconds) {
  families_->requests.Add({{"route", route}, {"method", method}, {"status", std::to_string(status)}})
      .Increment();
  families_->seconds.Add({{"route", route}}, kSeconds).Observe(static_cast<double>(nanoseconds) / 1e9);
}

void Metrics::count_rejected(const std::string& reason) {
  families_->rejected.Add({{"reason", reason}}).Increment();
}
void Metrics::count_login_failure(const std::string& by) {
  families_->login_failures.Add({{"by", by}}).Increment();
}
void Metrics::count_app_request(unsigned status) {
  families_->app_requests.Add({{"status", std::to_string(status / 100) + "xx"}}).Increment();
}
void Metrics::app_stream_opened() { families_->app_streams.Increment(); }
void Metrics::app_stream_closed() { families_->app_streams.Decrement(); }
void Metrics::connection_opened() { families_->connections.Increment(); }
void Metrics::connection_closed() { families_->connections.Decrement(); }

std::string Metrics::text(ApiContext& context, std::size_t watchers, std::size_t inside_streams) {
  const ClusterFacts facts = context.facts();
  std::map<std::string, int> sessions, agents;
  using projections::AgentState, projections::SessionStatus;
  for (auto s = SessionStatus::kPending; s <= SessionStatus::kError;
       s = static_cast<SessionStatus>(static_cast<int>(s) + 1))
    sessions[name_of(s)];
  for (auto s = AgentState::kEnrolled; s <= AgentState::kLeft;
       s = static_cast<AgentState>(static_cast<int>(s) + 1))
    agents[name_of(s)];
  prometheus::MetricFamily slots;
  context.with_state([&](const StateView& view) {
    slots = slot_sums(view.state);
    view.state.sessions.for_each_unordered(
        [&](const projections::SessionRow& row) { ++sessions[name_of(row.status)]; });
    view.state.agents.for_each_unordered(
        [&](const projections::AgentRow& row) { ++agents[name_of(row.state)]; });
    families_->position.Set(static_cast<double>(view.position));
    families_->epoch.Set(static_cast<double>(view.state.epoch().epoch));
  });
  for (const auto& [status, count] : sessions) families_->sessions.Add({{"status", status}}).Set(count);
  for (const auto& [state, count] : agents) families_->agents.Add({{"state", state}}).Set(count);
  families_->voids.Set(static_cast<double>(facts.voids));
  families_->leading.Set(facts.leading ? 1 : 0);
  families_->watchers.Set(static_cast<double>(watchers));
  families_->inside_streams.Set(static_cast<double>(inside_streams));
  auto all = families_->registry.Collect();
  all.push_back(std::move(slots));
  return prometheus::TextSerializer().Serialize(all) + context.metrics();
}

}  // namespace berth::controller::api
