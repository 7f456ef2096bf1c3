#include "controller/api/identity/identity_json.h"

#include <algorithm>
#include <utility>

#include "controller/api/map/json_values.h"
#include "events/codec/words/enum_words.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

// Live sessions of a scope of limits, "user/alice".
std::int64_t live_sessions(const projections::State& state, const std::string& scope) {
  const auto& use = state.usage().find(scope);
  return use.sessions + use.system_sessions + use.pending;
}

bool is_admin_of(const v1::UserDefined& user, const std::string& project) {
  return std::find(user.admin_of().begin(), user.admin_of().end(), project) != user.admin_of().end();
}

}  // namespace

json::array projects_of_user(const v1::UserDefined& user) {
  json::array out;
  for (const std::string& project : user.projects())
    out.push_back({{"project", project}, {"domain", user.domain()}, {"admin", is_admin_of(user, project)}});
  return out;
}

json::object user_to_json(const projections::State& state, const v1::UserDefined& user) {
  const auto* link = state.login_links.find(user.name());
  return {{"name", user.name()},
          {"display_name", user.display_name()},
          {"domain", user.domain()},
          {"role", word(user.role())},
          {"disabled", user.disabled()},
          {"projects", projects_of_user(user)},
          {"has_password", state.passwords.find(user.name()) != nullptr},
          {"link_expires_at", time_or_null(link == nullptr ? 0 : link->def.expires_ns())},
          {"sessions", live_sessions(state, "user/" + user.name())}};
}

json::array Members::of(const v1::ProjectDefined& project) {
  if (!std::exchange(found_, true))
    state_.users.for_each_unordered([this](const projections::UserRow& row) {
      for (const std::string& name : row.def.projects())
        by_project_[row.def.domain() + "/" + name].emplace(row.def.name(), is_admin_of(row.def, name));
    });
  json::array out;
  for (const auto& [user, admin] : by_project_[project.domain() + "/" + project.name()])
    out.push_back({{"user", user}, {"admin", admin}});
  return out;
}

json::object project_to_json(const projections::State& state, Members& members,
                             const v1::ProjectDefined& project, const projections::Actor& actor) {
  v1::Owner subject;
  subject.set_domain(project.domain());
  subject.set_project(project.name());
  json::object out{{"domain", project.domain()},
                   {"name", project.name()},
                   {"display_name", project.display_name()},
                   {"members", nullptr}};
  if (may(actor, projections::Noun::kMembership, projections::Verb::kSee, subject))
    out["members"] = members.of(project);
  out["sessions"] = live_sessions(state, "project/" + project.domain() + "/" + project.name());
  return out;
}

json::object domain_to_json(const projections::State& state, const v1::DomainDefined& domain) {
  std::int64_t users = 0, projects = 0;
  state.users.for_each_unordered(
      [&](const projections::UserRow& row) { users += row.def.domain() == domain.name() ? 1 : 0; });
  state.projects.for_each_unordered(
      [&](const projections::ProjectRow& row) { projects += row.def.domain() == domain.name() ? 1 : 0; });
  return {{"name", domain.name()},
          {"display_name", domain.display_name()},
          {"users", users},
          {"projects", projects},
          {"sessions", live_sessions(state, "domain/" + domain.name())}};
}

json::object key_to_json(const v1::KeyPairDefined& key) {
  return {{"id", key.id()},
          {"user", key.user()},
          {"name", key.name()},
          {"active", key.active()},
          {"read_only", key.read_only()},
          {"created_at", time_or_null(key.created_ns())},
          {"used_at", time_or_null(key.used_ns())},
          {"expires_at", time_or_null(key.expires_ns())}};
}

json::object producer_to_json(const v1::ProducerDefined& producer) {
  json::array requests, owners;
  for (const std::string& request : producer.requests()) requests.emplace_back(request);
  for (const v1::ProducerOwners& one : producer.owners())
    owners.push_back(json::object{{"scope", word(one.scope())}, {"id", text_or_null(one.id())}});
  return {{"name", producer.name()},
          {"display_name", producer.display_name()},
          {"generation", producer.generation()},
          {"requests", std::move(requests)},
          {"owners", std::move(owners)},
          {"disabled", producer.disabled()},
          {"created_at", time_or_null(producer.created_ns())},
          {"made_by", text_or_null(producer.made_by())},
          {"token_expires_at", time_or_null(producer.token_expires_ns())}};
}

json::object browser_session_to_json(const projections::BrowserSessionRow& row) {
  return {{"id", to_string(row.id)},
          {"user", row.user},
          {"current", false},
          {"client", row.client},
          {"address", row.address},
          {"started_at", format_time(row.started_at)},
          {"used_at", format_time(row.used_at)},
          {"expires_at", format_time(row.expires_at)}};
}

json::object rights_to_json(const projections::Actor& actor) {
  json::object out;
  for (const projections::Right& right : projections::rights())
    out[std::string(name_of(right.noun)) + "." + std::string(name_of(right.verb))] =
        name_of(reach(actor, right.noun, right.verb));
  return out;
}

}  // namespace berth::controller::api
