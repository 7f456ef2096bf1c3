// Users: GET, POST, PATCH, DELETE /v1/users.
#include <algorithm>

#include "controller/api/identity/identity_json.h"
#include "controller/api/identity/named_reply.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/routes/page.h"
#include "controller/api/routes/remove.h"
#include "controller/api/routes/user_in_group.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::UserRow;
using projections::Verb;

struct UserFilter {
  std::string domain, project;  // empty: all
  bool matches(const v1::UserDefined& user) const {
    if (!domain.empty() && user.domain() != domain) return false;
    return project.empty() ||
           std::any_of(user.projects().begin(), user.projects().end(),
                       [&](const auto& of) { return of == project || user.domain() + "/" + of == project; });
  }
};

void list_users(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const UserFilter filter{query.name("domain"), query.project("project")};
  const Page page = read_page(query);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    const projections::Actor actor = actor_of(view.state, call->caller);
    out = page_reply(view, page, "users", view.state.users, [&](const UserRow& row) -> json::value {
      if (!filter.matches(row.def) || !may(actor, Noun::kUser, Verb::kSee, row.def)) return nullptr;
      return user_to_json(view.state, row.def);
    });
  });
  reply(std::move(out));
}

json::value shown_user(const StateView& view, const std::string& name) {
  const UserRow* row = view.state.users.find(name);
  return row == nullptr ? json::value(nullptr) : json::value(user_to_json(view.state, row->def));
}

void show_user(const Services& services, const CallPtr& call, const Reply& reply) {
  const std::string& name = call->path[0];
  show_and_reply(services, call, reply, "user", name, [&](const StateView& view) {
    return missing_user(view.state, call->caller, name) ? json::value(nullptr) : shown_user(view, name);
  });
}

void read_changes(ObjectReader& in, v1::PutUser& put) {
  if (const auto name = in.text("display_name", kDisplayTextMax)) put.set_display_name(*name);
  const UnknownWord unknown{"unknown-role", "there is no role ", "",
                            "user, monitor, domain-admin or superadmin"};
  if (const auto role = in.word<v1::Role>("role", unknown)) put.set_role(*role);
}

// Where a new user works if nobody says otherwise.
constexpr const char* kDefaultProject = "default";

bool has_project(const Services& services, const std::string& domain, const std::string& name) {
  bool found = false;
  services.context.with_state(
      [&](const StateView& view) { found = view.state.projects.find(domain + "/" + name) != nullptr; });
  return found;
}

void create_user(const Services& services, const CallPtr& call, const Reply& reply) {
  const Name name = std::make_shared<std::string>();
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader in(body, "", errors);
    v1::PutUser& put = *request.mutable_put_user();
    *name = in.text("name", kNameTextMax).value_or("");
    in.require("name", !name->empty());
    put.set_create(true);
    put.set_name(*name);
    put.set_domain(in.text("domain", kNameTextMax).value_or(call->caller.domain));
    read_changes(in, put);
    if (const json::array* projects = in.array("projects", projections::kProjectsOfUserMax))
      for (std::string& project : texts_of(*projects, in.place_of("projects"), kNameTextMax, errors))
        put.add_projects(std::move(project));
    else if (has_project(services, put.domain(), kDefaultProject))
      put.add_projects(kDefaultProject);
    in.finish();
  };
  put_and_reply(services, call, reply, fill, "user", 201,
                [name](const StateView& view) { return shown_user(view, *name); });
}

void change_user(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader in(body, "", errors);
    v1::PutUser& put = *request.mutable_put_user();
    put.set_name(call->path[0]);
    read_changes(in, put);
    if (const auto disabled = in.boolean("disabled")) put.set_disabled(*disabled);
    in.finish();
  };
  put_and_reply(services, call, reply, fill, "user", 200,
                [name = call->path[0]](const StateView& view) { return shown_user(view, name); });
}

void remove_user(const Services& services, const CallPtr& call, const Reply& reply) {
  remove_and_reply(services, call, reply, v1::DEFINITION_KIND_USER, call->path[0], SessionsOf::kMany);
}

}  // namespace

std::vector<Route> user_routes() {
  const Route::Need create{Noun::kUser, Verb::kCreate}, see{Noun::kUser, Verb::kSee},
      change{Noun::kUser, Verb::kChange};
  const Route::Traits asks_put_user{.producers = v1::Request::kPutUser};
  return {{"GET", "/v1/users", "listUsers", list_users, see, {.past = Route::kPast}},
          {"POST", "/v1/users", "createUser", create_user, create, asks_put_user},
          {"GET", "/v1/users/{user}", "getUser", show_user, see, {.past = Route::kPast}},
          {"PATCH", "/v1/users/{user}", "changeUser", change_user, change, asks_put_user},
          {"DELETE", "/v1/users/{user}", "deleteUser", remove_user, {Noun::kUser, Verb::kEnd}}};
}

}  // namespace berth::controller::api
