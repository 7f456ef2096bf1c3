// berth project
#include "ops/cli/command/watch.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/people/people.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr const char* kProjectForm = "[DOMAIN/]NAME; without a domain it is one of your own";

struct ProjectWords {
  std::string project, user, display_name, reason;
  bool admin = false;
};

struct ProjectName {
  std::string domain;  // may be empty: the caller's
  std::string name;
};

ProjectName split_project(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return {"", text};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

// Of the API; asks who the caller is where the project has no domain.
Outcome<std::string> project_path(Api& api, const std::string& text) {
  ProjectName project = split_project(text);
  if (project.domain.empty()) {
    const auto me = having(api.get("/v1/whoami"), {"domain"});
    if (!me) return me.failure();
    project.domain = text_at(me->body, "domain");
  }
  return "/v1/projects/" + percent_encoded(project.domain) + "/" + percent_encoded(project.name);
}

// What a verb does with the API and the project's path there.
using OnProject = std::function<Outcome<int>(Shell&, Api&, const std::string& path)>;

Outcome<int> at_project(Shell& shell, const std::string& project, const OnProject& act) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto path = project_path(**api, project);
  if (!path) return path.failure();
  return act(shell, **api, *path);
}

void add_project_ls(Registry& registry, CLI::App* noun) {
  auto domain = std::make_shared<std::string>();
  auto* ls = registry.verb(noun, "ls", "List the projects that you may see", {"list"});
  ls->add_option("--domain", *domain, "Only of this domain")->type_name("NAME");
  registry.on(ls, "  berth project ls", [domain](Shell& shell) {
    return show_list(shell, with_query("/v1/projects", {{"domain", *domain}}), "projects", project_listing(),
                     false);
  });
}

void add_project_add(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<ProjectWords>();
  auto* add = registry.verb(noun, "add", "Make a project", {"create"});
  add->add_option("PROJECT", o->project, kProjectForm)->required();
  add->add_option("--display-name", o->display_name, "For people")->type_name("TEXT");
  add_reason_option(add, o->reason);
  registry.on(add, "  berth project add ml --display-name \"Machine learning\"\n  berth project add lab/ml",
              [o](Shell& shell) -> Outcome<int> {
                const ProjectName project = split_project(o->project);
                json::object body{{"name", project.name}};
                if (!project.domain.empty()) body["domain"] = project.domain;
                if (!o->display_name.empty()) body["display_name"] = o->display_name;
                const auto api = shell.api();
                if (!api) return api.failure();
                return print_changed(shell,
                                     (*api)->post(with_query("/v1/projects", {{"reason", o->reason}}), body),
                                     "project", project_listing());
              });
}

void add_project_set(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<ProjectWords>();
  auto* set = registry.verb(noun, "set", "Change a project's display name", {"update"});
  set->add_option("PROJECT", o->project, kProjectForm)->required();
  set->add_option("--display-name", o->display_name, "For people; empty: none")
      ->type_name("TEXT")
      ->required();
  add_reason_option(set, o->reason);
  registry.on(set, "  berth project set ml --display-name \"Machine learning\"", [o](Shell& shell) {
    return at_project(shell, o->project, [o](Shell& shown, Api& api, const std::string& path) {
      return print_changed(shown,
                           api.patch(with_query(path, {{"reason", o->reason}}),
                                     json::object{{"display_name", o->display_name}}),
                           "project", project_listing());
    });
  });
}

std::shared_ptr<ProjectWords> add_member_words(CLI::App* verb) {
  auto o = std::make_shared<ProjectWords>();
  verb->add_option("PROJECT", o->project, kProjectForm)->required();
  verb->add_option("USER", o->user, "Whom, of the project's domain")->required();
  add_reason_option(verb, o->reason);
  return o;
}

std::string member_path(const std::string& project_at, const ProjectWords& o) {
  return with_query(project_at + "/members/" + percent_encoded(o.user), {{"reason", o.reason}});
}

void add_members(Registry& registry, CLI::App* noun) {
  auto* member = registry.verb(noun, "member", "Who is in a project", {"members"});
  member->require_subcommand(1);
  auto* add = registry.verb(member, "add", "Take a user in, or make them member or admin", {"set"});
  const auto joins = add_member_words(add);
  add->add_flag("--admin", joins->admin, "They manage the project and see its sessions");
  registry.on(
      add, "  berth project member add ml alice\n  berth project member add default/ml bob --admin",
      [joins](Shell& shell) {
        return at_project(shell, joins->project, [joins](Shell& shown, Api& api, const std::string& path) {
          return print_changed(
              shown,
              api.put(member_path(path, *joins), json::object{{"level", joins->admin ? "admin" : "member"}}),
              "project", project_listing());
        });
      });
  auto* rm = registry.verb(member, "rm", "Take a user out", {"delete"});
  const auto leaves = add_member_words(rm);
  registry.on(rm, "  berth project member rm ml alice", [leaves](Shell& shell) {
    return at_project(shell, leaves->project, [leaves](Shell& shown, Api& api, const std::string& path) {
      return print_changed(shown, api.remove(member_path(path, *leaves)), "project", project_listing());
    });
  });
}

}  // namespace

void add_project_commands(Registry& registry) {
  auto* noun =
      registry.noun("project", "Projects: whose sessions count together, and their members", {"projects"});
  add_project_ls(registry, noun);
  add_show(registry, noun, "PROJECT", "One project, with its members", "  berth project show default/ml",
           project_path, project_listing);
  add_project_add(registry, noun);
  add_project_set(registry, noun);
  add_removal_with_sessions(registry, noun, "PROJECT", "Remove a project that has no members",
                            "  berth project rm default/ml --end-sessions", project_path);
  add_members(registry, noun);
}

}  // namespace berth::cli
