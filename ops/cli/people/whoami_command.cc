// berth whoami
#include <map>

#include "ops/cli/output/json_text.h"
#include "ops/cli/people/people.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

Listing caller_listing() {
  Listing listing;
  const auto projects = [](const json::value& me) {
    const auto* all = find_path(me, "projects");
    return all == nullptr ? std::string() : with_admins(*all, "project");
  };
  listing.columns = {column("USER", "user"),
                     column("DISPLAY NAME", "display_name"),
                     column("ROLE", "role"),
                     column("DOMAIN", "domain"),
                     {"PROJECTS", projects, false, false, "projects"},
                     column("ACCESS KEY", "access_key"),
                     column("READ ONLY", "read_only")};
  listing.name_path = "user";
  return listing;
}

// Where the caller's rights go beyond what is theirs: a row for each noun and reach.
std::string far_rights_text(const json::value& me, const Style& style) {
  const auto* rights = find_path(me, "rights");
  if (rights == nullptr || !rights->is_object()) return {};
  std::map<std::pair<std::string, std::string>, std::string> verbs;  // by noun and reach
  for (const auto& [right, value] : rights->get_object()) {
    const std::string name(right), reach = scalar_text(value);
    if (reach == "none" || reach == "own") continue;
    const auto dot = name.find('.');
    if (dot == std::string::npos) continue;
    std::string& all = verbs[{name.substr(0, dot), reach}];
    all += (all.empty() ? "" : ", ") + name.substr(dot + 1);
  }
  std::vector<std::vector<std::string>> rows;
  rows.reserve(verbs.size());
  for (const auto& [key, all] : verbs) rows.push_back({key.first, all, key.second});
  if (rows.empty()) return {};
  return "\n" + render_table({"BEYOND YOUR OWN", "YOU MAY", "OF"}, rows, {false, false, false}, style);
}

}  // namespace

void add_whoami(Registry& registry) {
  auto* verb = registry.verb(nullptr, "whoami", "Who you are here, and where your rights go beyond your own");
  registry.on(verb, "  berth whoami\n  berth whoami -o json", [](Shell& shell) -> Outcome<int> {
    const auto api = shell.api();
    if (!api) return api.failure();
    const auto reply = having((*api)->get("/v1/whoami"), {"user"});
    if (!reply) return reply.failure();
    shell.out() << print_facts(reply->body, caller_listing(), shell.style());
    if (shell.style().format == Format::kTable || shell.style().format == Format::kWide)
      shell.out() << far_rights_text(reply->body, shell.style());
    return kOk;
  });
}

}  // namespace berth::cli
