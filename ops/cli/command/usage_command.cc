// berth usage: what was held, by whom or where.
#include "ops/cli/command/registry.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/table.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct UsageOptions {
  std::string from, to, by = "user", step, user, project, group;
};

// "cpu 7200, mem 1234": amounts times seconds.
std::string slot_seconds(const json::value& row) {
  std::string out;
  const auto* slots = find_path(row, "slot_seconds");
  if (slots == nullptr || !slots->is_object()) return out;
  for (const auto& [slot, seconds] : slots->as_object())
    if (seconds.is_string())
      out += (out.empty() ? "" : ", ") + std::string(slot) + " " + std::string(seconds.as_string());
  return out.empty() ? "-" : out;
}

Listing usage_listing(const UsageOptions& o) {
  Listing listing;
  if (!o.step.empty()) listing.columns.push_back(time_column("FROM", "time"));
  std::string title = o.by;
  for (char& c : title) c = static_cast<char>(c - 'a' + 'A');
  listing.columns.push_back(column(title, "key"));
  listing.columns.push_back(column("SESSIONS", "sessions"));
  listing.columns.push_back(column("WAIT P50 MS", "waits.p50_ms"));
  listing.columns.push_back(column("WAIT P95 MS", "waits.p95_ms"));
  listing.columns.push_back({"SLOT SECONDS", slot_seconds, false, false, "slot_seconds"});
  listing.name_path = "key";
  return listing;
}

Outcome<int> show_usage(Shell& shell, const UsageOptions& o) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto target = with_query("/v1/usage", {{"from", o.from},
                                               {"to", o.to},
                                               {"by", o.by},
                                               {"step", o.step},
                                               {"user", o.user},
                                               {"project", o.project},
                                               {"group", o.group}});
  const auto reply = having_list((*api)->get(target), o.step.empty() ? "rows" : "series");
  if (!reply) return reply.failure();
  if (shell.style().format == Format::kJson || shell.style().format == Format::kYaml) {
    shell.out() << print_one(reply->body, usage_listing(o), shell.style());
    return kOk;
  }
  shell.out() << print_list(array_at(reply->body, o.step.empty() ? "rows" : "series"), usage_listing(o),
                            shell.style());
  return kOk;
}

}  // namespace

void add_usage_command(Registry& registry) {
  auto o = std::make_shared<UsageOptions>();
  auto* usage = registry.verb(nullptr, "usage", "What was held, in slot-seconds: any window, exactly");
  usage->add_option("--from", o->from, "First moment (default: a day before --to)")->type_name("TIME");
  usage->add_option("--to", o->to, "Moment at which the window ends (default: now)")->type_name("TIME");
  usage->add_option("--by", o->by, "user, project, domain, group, agent or device")
      ->capture_default_str()
      ->check(one_of({"user", "project", "domain", "group", "agent", "device"}));
  usage->add_option("--step", o->step, "Also cut at each hour or day of UTC: 1h or 1d")
      ->check(one_of({"1h", "1d"}));
  usage->add_option("-u,--user", o->user, "Of one user")->type_name("USER");
  usage->add_option("-p,--project", o->project, "Of one project")->type_name("PROJECT");
  usage->add_option("-g,--group", o->group, "Of one resource group")->type_name("GROUP");
  registry.on(usage,
              "  berth usage --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z --by project\n"
              "  berth usage --by device --step 1h -o csv",
              [o](Shell& shell) { return show_usage(shell, *o); });
}

}  // namespace berth::cli
