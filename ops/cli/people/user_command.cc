// berth user
#include "ops/cli/command/watch.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/people/people.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

std::string user_path(const std::string& user) { return "/v1/users/" + percent_encoded(user); }

CLI::Option* add_role_option(CLI::App* verb, std::string& role) {
  return verb->add_option("--role", role, "superadmin, domain-admin, user or monitor")
      ->check(one_of({"superadmin", "domain-admin", "user", "monitor"}))
      ->type_name("ROLE");
}

void add_user_ls(Registry& registry, CLI::App* noun) {
  struct Filter {
    std::string domain, project;
  };
  auto o = std::make_shared<Filter>();
  auto* ls = registry.verb(noun, "ls", "List the users whom you may see", {"list"});
  ls->add_option("--domain", o->domain, "Only of this domain")->type_name("NAME");
  ls->add_option("--project", o->project, "Only of this project")->type_name("[DOMAIN/]NAME");
  registry.on(ls, "  berth user ls\n  berth user ls --project default/ml", [o](Shell& shell) {
    return show_list(shell, with_query("/v1/users", {{"domain", o->domain}, {"project", o->project}}),
                     "users", user_listing(), false);
  });
}

struct NewUser {
  std::string name, domain, role, display_name, reason;
  std::vector<std::string> projects;
  bool no_link = false;
};

// The link stands behind the user: as a line of its own in a table, else as member `link` of the user.
Outcome<int> print_user_with_link(Shell& shell, Api& api, json::value user, const std::string& name) {
  const bool table = shell.style().format == Format::kTable || shell.style().format == Format::kWide;
  const auto link = having(api.post(user_path(name) + "/link", json::object()), {"url"});
  Listing listing = user_listing();
  if (link && !table && user.is_object()) {
    user.get_object()["link"] = link->body;
    listing.columns.push_back(column("LINK", "link.url"));
  }
  shell.out() << print_one(user, listing, shell.style());
  if (!link) {
    Failure failure = link.failure();
    failure.message = "the user is made, the login link is not: " + failure.message;
    failure.hint = "berth login-link " + name + " makes one";
    return failure;
  }
  if (table) shell.out() << printable(text_at(link->body, "url")) << "\n";
  shell.note("whoever opens the link sets the password of " + name + ", once, until " +
             text_at(link->body, "expires_at"));
  return kOk;
}

Outcome<int> add_one_user(Shell& shell, const NewUser& o) {
  json::object body{{"name", o.name}};
  for (const auto& [key, text] :
       {std::pair{"domain", &o.domain}, {"role", &o.role}, {"display_name", &o.display_name}})
    if (!text->empty()) body[key] = *text;
  if (!o.projects.empty()) body["projects"] = json::array(o.projects.begin(), o.projects.end());
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = having((*api)->post(with_query("/v1/users", {{"reason", o.reason}}), body), {"user"});
  if (!reply || o.no_link) return print_changed(shell, reply, "user", user_listing());
  return print_user_with_link(shell, **api, *find_path(reply->body, "user"), o.name);
}

void add_user_add(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<NewUser>();
  auto* add = registry.verb(noun, "add", "Make a user, and a login link by which they set their password",
                            {"create"});
  add->add_option("NAME", o->name, "What they are called from now on")->required();
  add->add_option("--project", o->projects, "A project of the domain to be a member of; repeat it")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add->add_option("--domain", o->domain, "Where they belong (default: your own)")->type_name("NAME");
  add_role_option(add, o->role);
  add->add_option("--display-name", o->display_name, "For people, like \"Alice Liddell\"")->type_name("TEXT");
  add->add_flag("--no-link", o->no_link, "Make no login link; `berth login-link NAME` does later");
  add_reason_option(add, o->reason);
  registry.on(add,
              "  berth user add alice --project ml --display-name \"Alice Liddell\"\n"
              "  berth user add watcher --role monitor --no-link",
              [o](Shell& shell) { return add_one_user(shell, *o); });
}

struct UserChange {
  std::string name, role, reason;
  std::optional<std::string> display_name;
  bool disable = false, enable = false;
};

Outcome<int> change_user(Shell& shell, const UserChange& o) {
  json::object body;
  if (!o.role.empty()) body["role"] = o.role;
  if (o.display_name) body["display_name"] = *o.display_name;
  if (o.disable || o.enable) body["disabled"] = o.disable;
  if (body.empty())
    return usage_failure("nothing is said to change", "--role, --display-name, --disable or --enable");
  const auto api = shell.api();
  if (!api) return api.failure();
  return print_changed(shell, (*api)->patch(with_query(user_path(o.name), {{"reason", o.reason}}), body),
                       "user", user_listing());
}

void add_user_set(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<UserChange>();
  auto* set =
      registry.verb(noun, "set", "Change a user's role or display name, disable or enable them", {"update"});
  set->add_option("USER", o->name, "Whom")->required();
  add_role_option(set, o->role);
  set->add_option("--display-name", o->display_name, "For people; empty: none")->type_name("TEXT");
  auto* disable = set->add_flag("--disable", o->disable, "They are signed out, and no request is theirs");
  set->add_flag("--enable", o->enable, "They may sign in again")->excludes(disable);
  add_reason_option(set, o->reason);
  registry.on(set, "  berth user set alice --role domain-admin\n  berth user set bob --disable --reason left",
              [o](Shell& shell) { return change_user(shell, *o); });
}

}  // namespace

void add_user_commands(Registry& registry) {
  auto* noun = registry.noun("user", "People: who they are and what they may do", {"users"});
  add_user_ls(registry, noun);
  const PathOf path = [](Api&, const std::string& user) { return user_path(user); };
  add_show(registry, noun, "USER", "One user, with projects and role", "  berth user show alice", path,
           user_listing);
  add_user_add(registry, noun);
  add_user_set(registry, noun);
  add_removal_with_sessions(registry, noun, "USER", "Remove a user who has no live sessions",
                            "  berth user rm alice --end-sessions", path);
  add_user_passwd(registry, noun);
}

}  // namespace berth::cli
