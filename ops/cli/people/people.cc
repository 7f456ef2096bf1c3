#include "ops/cli/people/people.h"

#include "ops/cli/output/json_text.h"

namespace berth::cli {

namespace json = boost::json;

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
  shell.out() << print_one(item == nullptr ? reply->body : *item, listing, shell.style());
  return kOk;
}

void add_reason_option(CLI::App* verb, std::string& reason) {
  verb->add_option("--reason", reason, "Why, for the record")->type_name("TEXT");
}

void add_removal_options(CLI::App* rm, RemovalOptions& o, const char* metavar) {
  rm->add_option(metavar, o.name, "Its name, which is never given again")->required();
  rm->add_flag("--end-sessions", o.end_sessions, "End its sessions first; say it again when they have ended");
  add_reason_option(rm, o.reason);
}

Outcome<int> remove_at(Shell& shell, Api& api, const std::string& path, const RemovalOptions& o) {
  const auto reply =
      api.remove(with_query(path, {{"end_sessions", o.end_sessions ? "true" : ""}, {"reason", o.reason}}));
  if (!reply) return reply.failure();
  shell.out() << o.name << "\n";
  return kOk;
}

}  // namespace berth::cli
