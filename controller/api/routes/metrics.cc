#include "controller/api/routes/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <atomic>
#include <map>
#include <set>

#include "controller/api/map/agent_json.h"
#include "controller/api/map/slot_amounts.h"
#include "controller/api/routes/call.h"

namespace berth::controller::api {
namespace {

const prometheus::Histogram::BucketBoundaries kSeconds = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20};

constexpr std::size_t kSlotSeriesMax = 2'000;

double in_base_unit(SlotKind kind, Amount amount) {
  return static_cast<double>(amount) / (kind == SlotKind::kBytes ? 1 : kUnit);
}

// Groups as labels: the first so many by name have their own, the others share one, so that whoever makes
// groups makes no series without end.
class GroupLabels {
 public:
  explicit GroupLabels(const projections::State& state) {
    std::set<std::string> names;
    state.sessions.for_each_unordered([&](const projections::SessionRow& row) {
      if (row.spec) names.insert(row.spec->spec.group());
    });
    state.agents.for_each_unordered([&](const projections::AgentRow& row) { names.insert(row.group); });
    for (const std::string& name : names) {
      if (own_.size() == kGroupsMax) break;
      own_.insert(name);
    }
    folded_ = names.size() - own_.size();
  }
  const std::string& of(const std::string& group) const { return own_.contains(group) ? group : kOther; }
  std::size_t folded() const { return folded_; }

 private:
  static constexpr std::size_t kGroupsMax = 100;
  inline static const std::string kOther = "other";
  std::set<std::string> own_;
  std::size_t folded_ = 0;
};

prometheus::MetricFamily gauge_family(const char* name, const char* help) {
  return {name, help, prometheus::MetricType::Gauge, {}};
}

void add_gauge(prometheus::MetricFamily& family, std::vector<prometheus::ClientMetric::Label> labels,
               double value) {
  prometheus::ClientMetric metric;
  metric.label = std::move(labels);
  metric.gauge.value = value;
  family.metric.push_back(std::move(metric));
}

prometheus::MetricFamily session_counts(const projections::State& state, const GroupLabels& groups) {
  std::map<std::array<std::string, 2>, double> counts;  // by group, state
  state.sessions.for_each_unordered([&](const projections::SessionRow& row) {
    ++counts[{row.spec ? groups.of(row.spec->spec.group()) : std::string("other"), name_of(row.status)}];
  });
  using projections::SessionStatus;
  std::set<std::string> shown = {groups.of("default")};
  for (const auto& [key, count] : counts) shown.insert(key[0]);
  for (const std::string& group : shown)  // a state that nobody is in is 0, not gone
    for (auto s = SessionStatus::kPending; s <= SessionStatus::kError;
         s = static_cast<SessionStatus>(static_cast<int>(s) + 1))
      counts[{group, name_of(s)}];
  auto family = gauge_family("berth_sessions", "Sessions in the state.");
  for (const auto& [key, count] : counts) add_gauge(family, {{"state", key[1]}, {"group", key[0]}}, count);
  return family;
}

// Slots of the agents that are alive, by group; counts in wholes, memory in bytes.
prometheus::MetricFamily slot_sums(const projections::State& state, const GroupLabels& groups,
                                   std::size_t& left_out) {
  const SlotKinds kinds(state);
  std::map<std::array<std::string, 3>, double> sums;  // by resource, group, kind
  const auto add = [&](const projections::AgentRow& agent, const char* kind, const auto& amounts) {
    for (const projections::SlotAmount& entry : amounts)
      sums[{entry.slot, groups.of(agent.group), kind}] +=
          in_base_unit(kinds.kind_of(entry.slot), entry.amount);
  };
  state.agents.for_each_unordered([&](const projections::AgentRow& agent) {
    if (agent.state != projections::AgentState::kAlive) return;
    add(agent, "capacity", total_capacity(agent));
    add(agent, "used", total_taken(state, agent));
  });
  auto family = gauge_family("berth_slots", "Slots of the agents that are alive.");
  for (const auto& [labels, sum] : sums) {
    if (family.metric.size() == kSlotSeriesMax) break;
    add_gauge(family, {{"resource", labels[0]}, {"group", labels[1]}, {"kind", labels[2]}}, sum);
  }
  left_out = sums.size() - family.metric.size();
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
  prometheus::Family<prometheus::Gauge>& agents =
      prometheus::BuildGauge().Name("berth_agents").Help("Agents, by state.").Register(registry);
  prometheus::Gauge& quarantined = prometheus::BuildGauge()
                                       .Name("berth_quarantined_total")
                                       .Help("Inputs and subjects that are set aside.")
                                       .Register(registry)
                                       .Add({});
  prometheus::Gauge& leader_epoch = prometheus::BuildGauge()
                                        .Name("berth_leader_epoch")
                                        .Help("Epoch of the leader whose records were read last.")
                                        .Register(registry)
                                        .Add({});
  // Not shown: for Operations.
  std::atomic<std::uint64_t> answered = 0;
  prometheus::Histogram writes{kSeconds};
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::count_request(const Call& call, unsigned status, std::int64_t nanoseconds) {
  const std::string route = call.route == nullptr ? "none" : call.route->operation;
  const std::string method = call.route == nullptr ? "any" : call.request.method;
  families_->requests.Add({{"route", route}, {"method", method}, {"status", std::to_string(status)}})
      .Increment();
  const double seconds = static_cast<double>(nanoseconds) / 1e9;
  families_->seconds.Add({{"route", route}}, kSeconds).Observe(seconds);
  families_->answered.fetch_add(1, std::memory_order_relaxed);
  if (call.route != nullptr && call.route->writes()) families_->writes.Observe(seconds);
}
std::uint64_t Metrics::answered() const { return families_->answered.load(std::memory_order_relaxed); }
prometheus::ClientMetric::Histogram Metrics::writes() const { return families_->writes.Collect().histogram; }

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
  std::map<std::string, int> agents;
  using projections::AgentState;
  for (auto s = AgentState::kEnrolled; s <= AgentState::kLeft;
       s = static_cast<AgentState>(static_cast<int>(s) + 1))
    agents[name_of(s)];
  prometheus::MetricFamily slots, sessions;
  auto cut = gauge_family("berth_metrics_left_out", "What has no series of its own, for there is a bound.");
  context.with_state([&](const StateView& view) {
    const GroupLabels groups(view.state);
    std::size_t slots_left_out = 0;
    slots = slot_sums(view.state, groups, slots_left_out);
    sessions = session_counts(view.state, groups);
    add_gauge(cut, {{"what", "groups"}}, static_cast<double>(groups.folded()));
    add_gauge(cut, {{"what", "slots"}}, static_cast<double>(slots_left_out));
    families_->quarantined.Set(static_cast<double>(view.state.quarantine.size()));
    families_->leader_epoch.Set(static_cast<double>(view.state.epoch().epoch));
    view.state.agents.for_each_unordered(
        [&](const projections::AgentRow& row) { ++agents[name_of(row.state)]; });
    families_->position.Set(static_cast<double>(view.position));
    families_->epoch.Set(static_cast<double>(view.state.epoch().epoch));
  });
  for (const auto& [state, count] : agents) families_->agents.Add({{"state", state}}).Set(count);
  families_->voids.Set(static_cast<double>(facts.voids));
  families_->leading.Set(facts.leading ? 1 : 0);
  families_->watchers.Set(static_cast<double>(watchers));
  families_->inside_streams.Set(static_cast<double>(inside_streams));
  auto all = families_->registry.Collect();
  for (auto* family : {&slots, &sessions, &cut}) all.push_back(std::move(*family));
  return prometheus::TextSerializer().Serialize(all) + context.metrics();
}

}  // namespace berth::controller::api
