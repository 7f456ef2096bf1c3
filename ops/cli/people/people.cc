#include "ops/cli/people/people.h"

#include <chrono>

#include "ops/cli/command/wait.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/problem_codes.h"

namespace berth::cli {

namespace json = boost::json;

namespace {

struct Removal {
  std::string name, reason, timeout = "5m";
  bool end_sessions = false;
};

constexpr std::chrono::milliseconds kAskAgain{500};  // each time it is asked stands in the log

Failure not_removed(Failure why) {
  why.exit = kTimeout;
  why.hint = "the sessions go on ending; the same command again removes it";
  return why;
}

Outcome<int> remove_at(Shell& shell, Api& api, const std::string& path, const Removal& o, Deadline deadline) {
  const std::string target =
      with_query(path, {{"end_sessions", o.end_sessions ? "true" : ""}, {"reason", o.reason}});
  for (;;) {
    const auto reply = api.remove(target);
    if (reply) break;
    const Failure& refused = reply.failure();
    if (refused.is_interrupted() && o.end_sessions) return not_removed(refused);
    const bool goes_on = refused.code == kSessionsEnding || refused.code == kFolderPurging;
    if (!goes_on || !o.end_sessions) return refused;
    shell.status(refused.message);
    if (std::chrono::steady_clock::now() >= deadline) return not_removed(timeout_failure());
    if (!api.pause(kAskAgain)) return not_removed(interrupted_failure());
  }
  shell.end_status();
  shell.out() << o.name << "\n";
  return kOk;
}

}  // namespace

std::string with_admins(const json::value& list, const char* key) {
  std::string text;
  if (!list.is_array()) return text;
  for (const auto& one : list.get_array())
    text += (text.empty() ? "" : ", ") + text_at(one, key) + (true_at(one, "admin") ? " (admin)" : "");
  return text;
}

Listing user_listing() {
  Listing listing;
  const auto projects = [](const json::value& user) {
    const auto* all = find_path(user, "projects");
    return all == nullptr ? std::string() : with_admins(*all, "project");
  };
  listing.columns = {column("NAME", "name"),
                     column("DISPLAY NAME", "display_name"),
                     column("DOMAIN", "domain"),
                     column("ROLE", "role"),
                     {"PROJECTS", projects, false, false, "projects"},
                     column("SESSIONS", "sessions"),
                     column("DISABLED", "disabled"),
                     column("PASSWORD", "has_password", true),
                     time_column("LINK UNTIL", "link_expires_at", true)};
  listing.least = {"DISPLAY NAME", "SESSIONS", "DISABLED", "PROJECTS", "DOMAIN"};
  return listing;
}

Listing project_listing() {
  Listing listing;
  const auto members = [](const json::value& project) {
    const auto* all = find_path(project, "members");
    return all == nullptr ? std::string() : with_admins(*all, "user");
  };
  listing.columns = {column("DOMAIN", "domain"),
                     column("NAME", "name"),
                     column("DISPLAY NAME", "display_name"),
                     column("SESSIONS", "sessions"),
                     {"MEMBERS", members, false, false, "members"}};
  listing.least = {"DISPLAY NAME", "SESSIONS", "MEMBERS"};
  return listing;
}

Listing domain_listing() {
  Listing listing;
  listing.columns = {column("NAME", "name"), column("DISPLAY NAME", "display_name"), column("USERS", "users"),
                     column("PROJECTS", "projects"), column("SESSIONS", "sessions")};
  return listing;
}

Listing key_listing() {
  Listing listing;
  listing.columns = {column("KEY", "id"),
                     column("NAME", "name"),
                     column("USER", "user"),
                     column("ACTIVE", "active"),
                     column("READ ONLY", "read_only"),
                     time_column("EXPIRES", "expires_at"),
                     time_column("USED", "used_at", true),
                     time_column("CREATED", "created_at", true)};
  listing.name_path = "id";
  listing.least = {"READ ONLY", "EXPIRES", "USER"};
  return listing;
}

std::string print_facts(const json::value& item, const Listing& listing, const Style& style) {
  if (style.format != Format::kTable && style.format != Format::kWide) return print_one(item, listing, style);
  std::vector<std::vector<std::string>> rows;
  for (const auto& column : listing.columns) {
    const std::string text = column.text(item);
    rows.push_back({column.title, column.time ? local_time(text, style.utc_offset) : text});
    if (rows.back()[1].empty()) rows.back()[1] = "-";
  }
  Style plain = style;
  plain.headers = false;
  return render_table({"", ""}, rows, {false, false}, plain);
}

Outcome<int> print_changed(Shell& shell, const Outcome<ApiReply>& reply, const char* member,
                           const Listing& listing) {
  if (!reply) return reply.failure();
  const auto* item = find_path(reply->body, member);
  if (item == nullptr)  // gone again already: then the answer has its place alone
    if (auto failure = lacking(reply->body, {"position"})) return std::move(*failure);
  shell.out() << print_one(item == nullptr ? reply->body : *item, listing, shell.style());
  return kOk;
}

void add_reason_option(CLI::App* verb, std::string& reason) {
  verb->add_option("--reason", reason, "Why, for the record")->type_name("TEXT");
}

void add_show(Registry& registry, CLI::App* noun, const char* metavar, const char* about, const char* example,
              PathOf path_of, Listing (*listing)()) {
  auto name = std::make_shared<std::string>();
  auto* show = registry.verb(noun, "show", about, {"get"});
  show->add_option(metavar, *name, "Which")->required();
  registry.on(show, example, [name, path_of = std::move(path_of), listing](Shell& shell) -> Outcome<int> {
    const auto api = shell.api();
    if (!api) return api.failure();
    const auto path = path_of(**api, *name);
    if (!path) return path.failure();
    const auto reply = having((*api)->get(*path), {listing().name_path.c_str()});
    if (!reply) return reply.failure();
    shell.out() << print_facts(reply->body, listing(), shell.style());
    return kOk;
  });
}

void add_removal_with_sessions(Registry& registry, CLI::App* noun, const char* metavar, const char* about,
                               const char* example, PathOf path_of) {
  auto o = std::make_shared<Removal>();
  auto* rm = registry.verb(noun, "rm", about, {"delete"});
  rm->add_option(metavar, o->name, "Its name, which is never given again")->required();
  rm->add_flag("--end-sessions", o->end_sessions, "End its sessions first, and wait until they have ended");
  rm->add_option("--timeout", o->timeout, "How long to wait for their end at most (default: 5m)")
      ->type_name("DURATION");
  add_reason_option(rm, o->reason);
  registry.on(rm, example, [o, path_of = std::move(path_of)](Shell& shell) -> Outcome<int> {
    const auto deadline = parse_timeout(o->timeout);
    if (!deadline) return deadline.failure();
    if (o->end_sessions) shell.catch_signals();
    const auto api = shell.api();
    if (!api) return api.failure();
    const auto path = path_of(**api, o->name);
    if (!path) return path.failure();
    return remove_at(shell, **api, *path, *o, *deadline);
  });
}

}  // namespace berth::cli
