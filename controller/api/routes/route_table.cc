#include "controller/api/routes/route_table.h"

#include <algorithm>

#include "events/base/checks.h"

namespace berth::controller::api {
namespace {

bool is_hole(const std::string& segment) { return segment.size() > 2 && segment.front() == '{'; }

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& segments,
             std::vector<std::string>& path) {
  if (pattern.size() != segments.size()) return false;
  path.clear();
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (is_hole(pattern[i]) && !segments[i].empty())
      path.push_back(segments[i]);
    else if (pattern[i] != segments[i])
      return false;
  }
  return true;
}

}  // namespace

RouteTable::RouteTable(std::vector<Route> routes) : routes_(std::move(routes)) {
  for (const Route& route : routes_) {
    const auto target = parse_target(route.pattern);
    BERTH_CHECK(target.ok(), "a route's pattern is no path");
    patterns_.push_back(target->segments);
  }
}

std::vector<Route> keeping_routes();  // controller/api/keeping

RouteTable RouteTable::make() {
  std::vector<Route> all;
  for (auto part : {session_routes,    terminate_routes, agent_routes,           definition_routes,
                    fair_share_routes, usage_routes,     limit_routes,           preset_routes,
                    removal_routes,    event_routes,     event_export_routes,    watch_routes,
                    journal_routes,    scenario_routes,  cluster_routes,         operator_routes,
                    login_routes,      password_routes,  browser_session_routes, console_routes,
                    user_routes,       project_routes,   domain_routes,          key_routes,
                    inside_routes,     app_routes,       app_control_routes,     volume_routes,
                    folder_routes,     file_routes,      upload_routes,          past_routes,
                    decision_routes,   producer_routes,  keeping_routes,         audit_routes})
    for (const Route& route : part()) all.push_back(route);
  return RouteTable(std::move(all));
}

RouteTable::Match RouteTable::find(std::string_view method, const std::vector<std::string>& segments) const {
  if (method == "HEAD") method = "GET";
  Match match;
  std::vector<std::string> path;
  std::size_t fewest_holes = segments.size() + 1;
  for (const auto& pattern : patterns_)
    if (matches(pattern, segments, path)) fewest_holes = std::min(fewest_holes, path.size());
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (!matches(patterns_[i], segments, path) || path.size() > fewest_holes) continue;
    if (routes_[i].method == method) {
      match.route = &routes_[i];
      match.path = std::move(path);
      return match;
    }
    match.allow += (match.allow.empty() ? "" : ", ") + std::string(routes_[i].method);
  }
  return match;
}

}  // namespace berth::controller::api
