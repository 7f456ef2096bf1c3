// Projects and their members: /v1/projects.
#include "controller/api/identity/identity_json.h"
#include "controller/api/identity/named_reply.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/routes/page.h"
#include "controller/api/routes/remove.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::ProjectRow;
using projections::Verb;

// Null: the actor may not see the project.
json::value shown_project(const StateView& view, Members& members, const projections::Actor& actor,
                          const ProjectRow& row) {
  v1::Owner subject;
  subject.set_domain(row.def.domain());
  subject.set_project(row.def.name());
  if (!may(actor, Noun::kProject, Verb::kSee, subject)) return nullptr;
  return project_to_json(view.state, members, row.def, actor);
}

void list_projects(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const std::string domain = query.name("domain");
  const Page page = read_page(query);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    const projections::Actor actor = actor_of(view.state, call->caller);
    Members members(view.state);
    out = page_reply(view, page, "projects", view.state.projects, [&](const ProjectRow& row) -> json::value {
      if (!domain.empty() && row.def.domain() != domain) return nullptr;
      return shown_project(view, members, actor, row);
    });
  });
  reply(std::move(out));
}

// "DOMAIN/NAME" of the path's first two holes.
std::string name_in(const Call& call) { return call.path[0] + "/" + call.path[1]; }

json::value shown_project(const StateView& view, const Caller& caller, const std::string& name) {
  const ProjectRow* row = view.state.projects.find(name);
  if (row == nullptr) return nullptr;
  Members members(view.state);
  return shown_project(view, members, actor_of(view.state, caller), *row);
}

void show_project(const Services& services, const CallPtr& call, const Reply& reply) {
  show_and_reply(services, call, reply, "project", name_in(*call),
                 [&](const StateView& view) { return shown_project(view, call->caller, name_in(*call)); });
}

void create_project(const Services& services, const CallPtr& call, const Reply& reply) {
  const Name name = std::make_shared<std::string>();
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader in(body, "", errors);
    v1::PutProject& put = *request.mutable_put_project();
    put.set_create(true);
    put.set_domain(in.text("domain", kNameTextMax).value_or(call->caller.domain));
    put.set_name(in.text("name", kNameTextMax).value_or(""));
    in.require("name", !put.name().empty());
    if (const auto shown_name = in.text("display_name", kDisplayTextMax)) put.set_display_name(*shown_name);
    in.finish();
    *name = put.domain() + "/" + put.name();
  };
  put_and_reply(services, call, reply, fill, "project", 201,
                [name, call](const StateView& view) { return shown_project(view, call->caller, *name); });
}

void change_project(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader in(body, "", errors);
    v1::PutProject& put = *request.mutable_put_project();
    put.set_domain(call->path[0]);
    put.set_name(call->path[1]);
    if (const auto shown_name = in.text("display_name", kDisplayTextMax)) put.set_display_name(*shown_name);
    in.finish();
  };
  put_and_reply(services, call, reply, fill, "project", 200,
                [call](const StateView& view) { return shown_project(view, call->caller, name_in(*call)); });
}

void remove_project(const Services& services, const CallPtr& call, const Reply& reply) {
  remove_and_reply(services, call, reply, v1::DEFINITION_KIND_PROJECT, name_in(*call), SessionsOf::kMany);
}

// A membership names its project without the domain, which is the user's: another domain's project has no
// such member.
void set_member(const Services& services, const CallPtr& call, const Reply& reply, const char* level) {
  bool known = false;
  services.context.with_state([&](const StateView& view) {
    const auto* user = view.state.users.find(call->path[2]);
    known = user != nullptr && user->def.domain() == call->path[0];
  });
  if (!known)
    return reply(problem_reply(
        make_problem("unknown-user",
                     "domain '" + clipped(call->path[0]) + "' has no user '" + clipped(call->path[2]) + "'",
                     "berth user ls lists them"),
        *call));
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader in(body, "", errors);
    v1::PutMembership& put = *request.mutable_put_membership();
    put.set_project(call->path[1]);
    put.set_user(call->path[2]);
    put.set_level(level != nullptr ? level : in.text("level", kNameTextMax).value_or("member"));
    in.finish();
  };
  put_and_reply(services, call, reply, fill, "project", 200,
                [call](const StateView& view) { return shown_project(view, call->caller, name_in(*call)); });
}

void put_member(const Services& services, const CallPtr& call, const Reply& reply) {
  set_member(services, call, reply, nullptr);
}

void remove_member(const Services& services, const CallPtr& call, const Reply& reply) {
  set_member(services, call, reply, "none");
}

}  // namespace

std::vector<Route> project_routes() {
  constexpr const char* kOne = "/v1/projects/{domain}/{project}";
  constexpr const char* kMember = "/v1/projects/{domain}/{project}/members/{user}";
  const Route::Need see{Noun::kProject, Verb::kSee}, create{Noun::kProject, Verb::kCreate},
      alter{Noun::kProject, Verb::kChange}, change_membership{Noun::kMembership, Verb::kChange};
  const Route::Traits asks_put_project{.producers = v1::Request::kPutProject},
      asks_put_membership{.producers = v1::Request::kPutMembership};
  return {{"GET", "/v1/projects", "listProjects", list_projects, see, {.past = Route::kPast}},
          {"POST", "/v1/projects", "createProject", create_project, create, asks_put_project},
          {"GET", kOne, "getProject", show_project, see, {.past = Route::kPast}},
          {"PATCH", kOne, "changeProject", change_project, alter, asks_put_project},
          {"DELETE", kOne, "deleteProject", remove_project, {Noun::kProject, Verb::kEnd}},
          {"PUT", kMember, "putMember", put_member, change_membership, asks_put_membership},
          {"DELETE", kMember, "deleteMember", remove_member, change_membership, asks_put_membership}};
}

}  // namespace berth::controller::api
