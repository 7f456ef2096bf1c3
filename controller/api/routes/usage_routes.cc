// GET /v1/usage: what was held, by whom and where, in any window.
#include <algorithm>

#include "controller/api/map/time_text.h"
#include "controller/api/map/usage/usage_json.h"
#include "controller/api/routes/call.h"
#include "projections/subjects.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::UsageBy;
using projections::UseSeries;
using projections::Verb;

struct UsageFilter {
  std::string user, project, group;
};

struct UsageWanted {
  projections::UsageQuestion question;
  UsageFilter filter;
  bool csv = false;
};

std::optional<Timestamp> time_parameter(Query& query, const char* name) {
  const auto text = query.text(name);
  if (!text) return std::nullopt;
  const auto time = parse_time(*text);
  if (!time)
    query.fail("invalid-parameter", name, "is no time with a zone",
               "write it as 2026-01-31T14:03:00Z or with an offset, +09:00");
  return time;
}

UsageWanted read_usage_wanted(Query& query, Timestamp now) {
  UsageWanted wanted;
  auto& question = wanted.question;
  question.to = std::min(time_parameter(query, "to").value_or(now), now);
  question.from = time_parameter(query, "from").value_or(question.to - 24 * kHour);
  if (question.from >= question.to)
    query.fail("invalid-parameter", "from", "does not lie before `to`, or lies in the future",
               "the window is [from, to); without `to` it ends now");
  const auto by = usage_by(query.text("by").value_or("user"));
  if (!by) query.fail("invalid-parameter", "by", "is none of user, project, domain, group, agent, device");
  question.by = by.value_or(UsageBy::kUser);
  const std::string step = query.text("step").value_or("none");
  if (step != "none" && step != "1h" && step != "1d")
    query.fail("invalid-parameter", "step", "is none of none, 1h, 1d");
  question.step = step == "1h" ? kHour : step == "1d" ? 24 * kHour : 0;
  const std::string format = query.text("format").value_or("json");
  if (format != "json" && format != "csv")
    query.fail("invalid-parameter", "format", "is neither json nor csv");
  wanted.csv = format == "csv";
  wanted.filter = {query.name("user"), query.project("project"), query.name("group")};
  if ((question.by == UsageBy::kAgent || question.by == UsageBy::kDevice) &&
      !(wanted.filter.user.empty() && wanted.filter.project.empty()))
    query.fail("invalid-parameter", "by", "agents and devices are not told by user or project");
  return wanted;
}

bool is_of_project(const UseSeries& series, const std::string& project) {
  return project.find('/') == std::string::npos ? series.project == project
                                                : series.domain + "/" + series.project == project;
}

// What owners held is told to who may see their sessions; what was held of a place, to whom its group is
// known.
std::function<bool(const UseSeries&)> taken_by(const projections::Actor& actor, std::set<std::string> groups,
                                               UsageFilter filter) {
  const bool all = projections::reach(actor, Noun::kSession, Verb::kSee) == projections::Reach::kAll;
  return [actor, all, groups = std::move(groups), filter = std::move(filter)](const UseSeries& series) {
    if (!filter.group.empty() && series.group != filter.group) return false;
    if (series.family() == projections::UseFamily::kPlace) return all || groups.contains(series.group);
    if (!filter.user.empty() && series.user != filter.user) return false;
    if (!filter.project.empty() && !is_of_project(series, filter.project)) return false;
    if (all) return true;
    v1::Owner owner;
    owner.set_domain(series.domain);
    owner.set_project(series.project);
    owner.set_user(series.user);
    return projections::may(actor, Noun::kSession, Verb::kSee, owner);
  };
}

HttpReply csv_reply(std::string text) {
  HttpReply out;
  out.content_type = "text/csv; charset=utf-8";
  out.body = std::move(text);
  return out;
}

HttpReply usage_failed(const Error& error, const Call& call) {
  const bool asked_too_much = error.code == "too-many-parts" || error.code == "too-many-lines";
  Problem problem = make_problem(error.code, error.message, error.hint);
  problem.status = asked_too_much ? 422 : 503;
  return problem_reply(problem, call);
}

void get_usage(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  SlotKinds kinds;
  std::set<std::string> groups;
  projections::Actor actor;
  Timestamp now = services.context.now();
  services.context.with_state([&](const StateView& view) {
    now = std::max(now, view.state.epoch().time);
    kinds = SlotKinds(view.state);
    actor = actor_of(view.state, call->caller);
    view.state.groups.for_each_unordered([&](const projections::GroupRow& row) {
      if (projections::sees_group(actor, row.def)) groups.insert(row.def.name());
    });
  });
  UsageWanted wanted = read_usage_wanted(query, now);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  wanted.question.takes = taken_by(actor, std::move(groups), wanted.filter);
  take_turn(services, call, reply, Turns::Work::kScan,
            [services, call, reply, kinds = std::move(kinds), wanted = std::move(wanted)] {
              const auto report = services.context.usage(wanted.question);
              if (!report) return reply(usage_failed(report.error(), *call));
              if (wanted.csv) return reply(csv_reply(usage_to_csv(kinds, wanted.question, *report)));
              projections::UsageQuestion of_groups = wanted.question;
              of_groups.by = UsageBy::kGroup;
              of_groups.step = 0;
              const auto by_group = services.context.usage(of_groups);
              if (!by_group) return reply(usage_failed(by_group.error(), *call));
              reply(json_reply(200, usage_to_json(kinds, wanted.question, *report, *by_group)));
            });
}

}  // namespace

std::vector<Route> usage_routes() {
  return {{"GET", "/v1/usage", "getUsage", get_usage, {Noun::kSession, Verb::kSee}, {.past = Route::kPast}}};
}

}  // namespace berth::controller::api
