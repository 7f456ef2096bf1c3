// berth replay: one past placement, worked out again.
#include "ops/cli/command/registry.h"
#include "ops/cli/command/replay.h"
#include "ops/cli/keeping/any_log.h"
#include "ops/cli/log_shell/offline_decision.h"
#include "ops/cli/output/decision_view.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct ReplayAsked {
  std::string position;
  LogPlace log;
};

Outcome<json::value> ask_server(Shell& shell, const std::string& position) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = having((*api)->get("/v1/decisions/" + position), {"position", "queue", "equal"});
  if (!reply) return reply.failure();
  return reply->body;
}

Outcome<json::value> ask_log(Shell& shell, const LogPlace& place, const PastPosition& at) {
  auto log = open_any_offline(shell, place);
  if (!log) return failure_of(log.error(), kNotFound);
  if (!(*log)->verifies())
    shell.note("the records' signatures are not checked: the cluster's secret is not there");
  shell.status("folding up to " + std::to_string(at.offset));
  const auto index = at.index ? std::optional(static_cast<std::uint32_t>(*at.index)) : std::nullopt;
  auto found = offline_decision(**log, at.offset, index);
  shell.end_status();
  if (found) return std::move(*found);
  const bool is_there = found.error().code == "inputs-not-recorded" || found.error().code == "past-failed";
  return failure_of(found.error(), is_there ? kFailed : kNotFound);
}

Outcome<int> replay(Shell& shell, const ReplayAsked& o) {
  const auto at = parse_past_position(o.position);
  if (!at) return at.failure();
  const auto decision = o.log.where.empty() ? ask_server(shell, o.position) : ask_log(shell, o.log, *at);
  if (!decision) return decision.failure();
  if (shell.style().format == Format::kTable || shell.style().format == Format::kWide)
    shell.out() << printable_lines(decision_text(*decision, shell.style()));
  else
    shell.out() << print_one(*decision, decision_listing(), shell.style());
  if (text_at(*decision, "equal") == "true") return kOk;
  return Failure{kFailed,
                 "replay-differs",
                 "what comes out is not what was recorded",
                 "is this the version that placed it?",
                 {}};
}

}  // namespace

void add_replay_command(Registry& registry) {
  auto o = std::make_shared<ReplayAsked>();
  auto* verb = registry.verb(
      nullptr, "replay", "Work one past placement out again, step by step, and compare it with the record");
  verb->add_option("--decision", o->position,
                   "Position of the placement: 1234-0, or 1234 for the record's first (`berth event tail`)")
      ->type_name("POSITION")
      ->required();
  verb->add_option("--log", o->log.where, std::string("Instead of asking the server: ") + kAnyLogHelp)
      ->type_name("DIR|FILE|URL")
      ->check(not_empty());
  add_kafka_config_option(verb, o->log);
  registry.on(verb, "  berth replay --decision 1234-0\n  berth replay --decision 1234 --log ~/berth -o json",
              [o](Shell& shell) { return replay(shell, *o); });
}

}  // namespace berth::cli
