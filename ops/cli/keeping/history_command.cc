// berth cluster history: how long what has ended is kept.
#include "ops/cli/command/registry.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct HistoryOptions {
  std::string keep, prune_before;
};

// "365d", or "forever".
Outcome<std::int64_t> days_of(const std::string& text) {
  if (text == "forever") return 0;
  const std::string digits = text.ends_with('d') ? text.substr(0, text.size() - 1) : "";
  const bool good = !digits.empty() && digits.size() <= 5 &&
                    digits.find_first_not_of("0123456789") == std::string::npos && digits[0] != '0';
  if (!good) return usage_failure("'" + text.substr(0, 40) + "' is no number of days", "365d, or forever");
  return std::stoll(digits);
}

Outcome<int> history(Shell& shell, const HistoryOptions& o) {
  const auto api = shell.api();
  if (!api) return api.failure();
  if (!o.keep.empty()) {
    const auto days = days_of(o.keep);
    if (!days) return days.failure();
    const auto set = (*api)->put("/v1/history", json::object{{"keep_days", *days}});
    if (!set) return set.failure();
    shell.note(*days == 0 ? "history is kept for ever"
                          : "what ended " + std::to_string(*days) + " days ago is pruned, once a day");
  }
  if (!o.prune_before.empty()) {
    const auto pruned = (*api)->post("/v1/history/prune", json::object{{"before", o.prune_before}});
    if (!pruned) return pruned.failure();
    shell.note("pruned: each server drops it in the background");
  }
  const auto reply = (*api)->get("/v1/history");
  if (!reply) return reply.failure();
  Listing listing;
  listing.columns = {column("KEEP DAYS", "keep_days"), column("PRUNED BEFORE", "pruned_before"),
                     column("BACKUP AT", "backup_taken_at"), column("RESTORED FROM", "restored_from"),
                     column("RESTORED AT", "restored_at")};
  listing.name_path = "keep_days";
  shell.out() << print_one(reply->body, listing, shell.style());
  return kOk;
}

}  // namespace

void add_cluster_history(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<HistoryOptions>();
  auto* app = registry.verb(noun, "history", "How long ended sessions are kept; changes it, or prunes now");
  app->add_option("--keep", o->keep, "A number of days (at least 7d), or forever")->type_name("DAYS");
  app->add_option("--prune-before", o->prune_before, "Prune what ended before it, a week ago or more")
      ->type_name("TIME");
  registry.on(app,
              "  berth cluster history\n  berth cluster history --keep 365d\n"
              "  berth cluster history --prune-before 2025-01-01T00:00:00Z",
              [o](Shell& shell) { return history(shell, *o); });
}

}  // namespace berth::cli
