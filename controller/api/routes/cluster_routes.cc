// The cluster as a whole, and what machines ask: liveness, readiness, metrics, the API's own description.
#include <map>

#include "controller/api/inside/open_streams.h"
#include "controller/api/live/operations.h"
#include "controller/api/login/me.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/map/json_values.h"
#include "controller/api/routes/call.h"
#include "controller/api/routes/metrics.h"
#include "controller/api/routes/openapi.h"
#include "events/base/hash.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::Verb;

bool takes_nothing(const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (errors.empty()) return true;
  reply(problem_reply(std::move(errors).take(), *call));
  return false;
}

HttpReply text_reply(unsigned status, std::string text) {
  HttpReply out;
  out.status = status;
  out.content_type = "text/plain; charset=utf-8";
  out.body = std::move(text);
  return out;
}

template <class Table, class F> json::object count_by(const Table& table, F name) {
  std::map<std::string, int> counts;
  table.for_each_unordered([&](const auto& row) { ++counts[name(row)]; });
  json::object out;
  for (const auto& [key, count] : counts) out[key] = count;
  return out;
}

const char* clock_word(projections::ClockBehind behind) {
  switch (behind) {
    case projections::ClockBehind::kNot: return "no";
    case projections::ClockBehind::kToConfirm: return "to-confirm";
    case projections::ClockBehind::kConfirmed: return "confirmed";
  }
  return "no";
}

json::object fold_to_json(const StateView& view) {
  const auto& epoch = view.state.epoch();
  json::object out{{"epoch", epoch.epoch},
                   {"leader", text_or_null(epoch.controller)},
                   {"sequence", epoch.sequence},
                   {"rules", epoch.rules}};
  out["time"] = time_or_null(epoch.time);
  out["clock_jumped"] = epoch.clock_jumped;
  out["clock_behind"] = clock_word(epoch.clock_behind);
  out["quarantined"] = view.state.quarantine.size();
  out["sessions"] = count_by(view.state.sessions, [](const projections::SessionRow& row) {
    return projections::name_of(row.status);
  });
  out["agents"] = count_by(view.state.agents,
                           [](const projections::AgentRow& row) { return projections::name_of(row.state); });
  return out;
}

json::value truncation_to_json(const std::optional<projections::Truncation>& truncation) {
  if (!truncation) return nullptr;
  return {{"read", truncation->read}, {"left", truncation->left}};
}

HttpReply cluster_reply(const Services& services, const Call& call, const projections::ChainPoint& point) {
  json::object out;
  std::optional<Offset> seen;
  services.context.with_state([&](const StateView& view) {
    out = fold_to_json(view);
    if (view.any) seen = view.position;
  });
  const ClusterFacts facts = services.context.facts();
  out["cluster_id"] = to_string(facts.cluster_id);
  out["cluster"] = facts.cluster;
  out["cell"] = facts.cell;
  out["version"] = facts.version;
  out["controller"] = facts.controller;
  out["leading"] = facts.leading;
  out["log"] = facts.log;
  out["voids"] = facts.voids;
  out["truncation"] = truncation_to_json(facts.truncation);
  out["position"] = point.next == 0 ? 0 : point.next - 1;
  out["state_hash"] = call.past ? json::value(nullptr)  // of then without its requests: of no state that was
                                : json::value(to_hex(as_view(point.state_hash.value_or(Hash128{}))));
  out["rolling_hash"] = to_hex(as_view(point.rolling));
  HttpReply reply = json_reply(200, out);
  if (seen) reply.set("X-Berth-Position", std::to_string(*seen));
  return reply;
}

void cluster(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const bool newest = query.flag("newest", false);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  if (!newest) return reply(cluster_reply(services, *call, services.context.facts().point));
  take_turn(services, call, reply, Turns::Work::kShort, [=] {
    const auto point = services.context.chain_point_now();
    if (!point.ok()) return reply(problem_reply(to_problem(point.error()), *call));
    reply(cluster_reply(services, *call, *point));
  });
}

// Of this server alone: each one that read the lost records is told.
void accept_truncation(const Services& services, const CallPtr& call, const Reply& reply) {
  if (!takes_nothing(call, reply)) return;
  take_turn(services, call, reply, Turns::Work::kShort, [=] {
    const auto truncation = services.context.facts().truncation;
    if (const auto accepted = services.context.accept_truncation(); !accepted.ok())
      return reply(problem_reply(to_problem(accepted.error()), *call));
    reply(json_reply(200, json::object{{"truncation", truncation_to_json(truncation)}}));
  });
}

HttpReply log_level_reply(const Services& services) {
  return json_reply(200, json::object{{"level", services.context.log_level()}});
}

void log_level(const Services& services, const CallPtr& call, const Reply& reply) {
  if (takes_nothing(call, reply)) reply(log_level_reply(services));
}

// Of this server alone, and until it stops: what a node logs is no fact of the cluster.
void set_log_level(const Services& services, const CallPtr& call, const Reply& reply) {
  std::string level;
  std::optional<std::int64_t> lasts_ms;
  const bool read = read_body(call, reply, [&](ObjectReader& in) {
    level = in.required_text("level", 20);
    lasts_ms = in.duration_ms("for");
    if (lasts_ms && (*lasts_ms < 1'000 || *lasts_ms > kDay / kMillisecond))
      in.fail("invalid-value", "for", "a level lasts 1s to 24h", "leave it out: until it is changed again");
  });
  if (!read) return;
  if (const auto set = services.context.set_log_level(level, lasts_ms.value_or(0) * kMillisecond); !set.ok())
    return reply(problem_reply(to_problem(set.error()), *call));
  reply(log_level_reply(services));
}

void whoami(const Services& services, const CallPtr& call, const Reply& reply) {
  if (takes_nothing(call, reply)) reply(json_reply(200, me_json(services, *call)));
}

void livez(const Services&, const CallPtr& call, const Reply& reply) {
  if (takes_nothing(call, reply)) reply(text_reply(200, "ok\n"));
}

void readyz(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const bool verbose = query.flag("verbose", false);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  std::string lines;
  bool ready = true;
  for (const ReadyCheck& check : services.context.ready()) {
    ready = ready && check.ok;
    lines +=
        (check.ok ? "[+] " : "[-] ") + check.name + (check.detail.empty() ? "" : ": " + check.detail) + "\n";
  }
  HttpReply out =
      text_reply(ready ? 200 : 503, (verbose || !ready ? lines : "") + (ready ? "ready\n" : "not ready\n"));
  if (!ready) out.set("Retry-After", "1");
  reply(std::move(out));
}

void metrics(const Services& services, const CallPtr& call, const Reply& reply) {
  if (!takes_nothing(call, reply)) return;
  HttpReply out = text_reply(
      200, services.metrics.text(services.context, services.hub.watchers() + services.rows.watchers(),
                                 services.streams.count()));
  out.content_type = "text/plain; version=0.0.4; charset=utf-8";
  reply(std::move(out));
}

// Of the newest so long; what it measures may ask a disk.
void operations(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const Duration longest = static_cast<Duration>(kSamplesMax) * kSampleEvery;
  const auto asked = query.duration_ms("window", longest / kMillisecond);
  if (asked && *asked * kMillisecond < kSampleEvery)
    query.fail("invalid-value", "window", "samples are 5 s apart", "5s to 1h");
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  const Duration window = asked ? *asked * kMillisecond : longest;
  take_turn(services, call, reply, Turns::Work::kShort,
            [=] { reply(json_reply(200, services.operations.json(window))); });
}

void openapi(const Services&, const CallPtr& call, const Reply& reply) {
  if (!takes_nothing(call, reply)) return;
  HttpReply out;
  out.body = openapi_text();
  reply(std::move(out));
}

}  // namespace

std::vector<Route> cluster_routes() {
  const Route::Need see{Noun::kCluster, Verb::kSee}, act{Noun::kJournal, Verb::kAct};
  return {{"GET", "/v1/cluster", "getCluster", cluster, see, {.past = Route::kPast}},
          {"POST", "/v1/cluster/accept-truncation", "acceptTruncation", accept_truncation, act},
          {"GET", "/v1/log-level", "getLogLevel", log_level, {Noun::kMetrics, Verb::kSee}},
          {"PUT", "/v1/log-level", "setLogLevel", set_log_level, act},
          {"GET", "/v1/whoami", "getCaller", whoami, Route::kAnybody},
          {"GET", "/livez", "getLiveness", livez, Route::kOpen},
          {"GET", "/readyz", "getReadiness", readyz, Route::kOpen},
          {"GET", "/metrics", "getMetrics", metrics, {Noun::kMetrics, Verb::kSee}, {.scraped = true}},
          {"GET", "/v1/operations", "getOperations", operations, {Noun::kMetrics, Verb::kSee}},
          {"GET", "/openapi.json", "getDescription", openapi, Route::kOpen}};
}

}  // namespace berth::controller::api
