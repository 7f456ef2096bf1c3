// berth cluster show, verify, and what an operator decides
#include "ops/cli/command/registry.h"
#include "ops/cli/command/replay.h"
#include "ops/cli/command/watch.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/operations_text.h"
#include "ops/cli/output/views.h"
#include "ops/cli/problem_codes.h"
#include "ops/cli/up.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

Failure differs(std::string message) {
  return {kFailed,
          "verify-failed",
          std::move(message),
          "the journal and the live projection disagree: keep both, and report it",
          {}};
}

// Replays the whole journal here, with this program's own fold, and compares with what the server's
// projection says it is.
Outcome<int> verify(Shell& shell) {
  if (shell.is_past()) return no_past_failure();
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto live = having((*api)->get("/v1/cluster?newest=true"), {"position", "state_hash"});
  if (!live) return live.failure();
  const auto position = static_cast<Offset>(integer_at(live->body, "position"));
  const std::string state_hash = text_at(live->body, "state_hash"),
                    rolling = text_at(live->body, "rolling_hash");
  auto replay = replay_until(shell, **api, position, [&](projections::Projection& projection) {
    return to_hex(as_view(projection.state_hash())) == state_hash;
  });
  if (!replay && replay.failure().code == kPositionNotReached)
    return Failure{
        kFailed,
        "log-truncated",
        "the server has read up to " + std::to_string(position) + ", and " + replay.failure().message,
        "ops/runbooks/truncated-journal.md",
        {}};
  if (!replay) return replay.failure();
  const auto& projection = *replay;
  const std::string replayed = to_hex(as_view(projection->state_hash())),
                    chain = to_hex(as_view(projection->chain().rolling()));
  const bool same = replayed == state_hash, same_log = rolling.empty() || chain == rolling;
  const json::value result = json::object{{"verified", same && same_log},
                                          {"signatures_checked", projection->verifies()},
                                          {"position", position},
                                          {"records", position + 1},
                                          {"applied", projection->counters().applied},
                                          {"events", projection->counters().events},
                                          {"void", projection->counters().voided},
                                          {"live_state_hash", state_hash},
                                          {"replayed_state_hash", replayed},
                                          {"live_rolling_hash", rolling},
                                          {"replayed_rolling_hash", chain}};
  Listing listing;
  for (const char* key : {"verified", "signatures_checked", "position", "records", "applied", "events",
                          "void", "live_state_hash", "replayed_state_hash"})
    listing.columns.push_back(column(key, key));
  listing.name_path = "replayed_state_hash";
  shell.out() << (shell.style().format == Format::kTable ? cluster_text(result, shell.style().color)
                                                         : print_one(result, listing, shell.style()));
  shell.out().flush();
  if (!same_log)
    return differs("the replayed rolling hash differs from the live one at offset " +
                   std::to_string(position));
  if (!same)
    return differs("the replayed state hash differs from the live one at offset " + std::to_string(position));
  return kOk;
}

// What the journal set aside (P7) and a clock that jumped (P16): an operator's decisions.
void add_operator_commands(Registry& registry, CLI::App* noun) {
  auto* ls =
      registry.verb(noun, "quarantine", "Inputs and sessions that the controller failed on and set aside");
  registry.on(ls, "  berth cluster quarantine", [](Shell& shell) {
    Listing listing;
    listing.columns = {column("SUBJECT", "subject"), column("FAILURES", "failures"),
                       column("ANSWERED", "answered")};
    listing.name_path = "subject";
    return show_list(shell, "/v1/quarantine", "quarantine", listing, false);
  });
  const auto act = [](Shell& shell, const std::string& target, const json::value& body,
                      const std::string& done) -> Outcome<int> {
    const auto api = shell.api();
    if (!api) return api.failure();
    const auto reply = (*api)->post(target, body);
    if (!reply) return reply.failure();
    shell.note(done);
    return kOk;
  };
  auto subject = std::make_shared<std::string>();
  auto* release = registry.verb(noun, "release", "Try something from the quarantine again with the others");
  release->add_option("SUBJECT", *subject, "As `berth cluster quarantine` names it")->required();
  registry.on(release, "  berth cluster release requests/0@17", [subject, act](Shell& shell) {
    return act(shell, "/v1/quarantine/release", json::object{{"subject", *subject}}, "released: " + *subject);
  });
  auto* confirm = registry.verb(
      noun, "confirm-clock", "Say that the leader's clock is right after it jumped, or known to be behind");
  registry.on(confirm, "  berth cluster confirm-clock", [act](Shell& shell) {
    return act(shell, "/v1/clock/confirm", nullptr, "the clock is confirmed");
  });
  auto* accept = registry.verb(noun, "accept-truncation",
                               "Give up journal records that this server had read and that the log lost");
  registry.on(accept, "  berth cluster accept-truncation", [act](Shell& shell) {
    return act(shell, "/v1/cluster/accept-truncation", nullptr, "accepted: this server is ready again");
  });
}

// It added a key to one server's file, under a number that the log may give another key.
void add_rotate_key(Registry& registry, CLI::App* noun) {
  auto* app = registry.verb(noun, "rotate-key", "As it was called before: berth key rotate seal");
  app->group("");
  registry.on(app, "  berth key rotate seal", [](Shell&) -> Outcome<int> {
    return Failure{
        kUsage,
        "command-replaced",
        "`berth cluster rotate-key` is replaced by `berth key rotate seal`, which needs no restart "
        "and no copy of cluster.json",
        "berth key rotate seal",
        {}};
  });
}

void add_top(Registry& registry, CLI::App* noun) {
  struct Asked {
    std::string window = "15m";
    bool watch = false;
  };
  auto asked = std::make_shared<Asked>();
  auto* app =
      registry.verb(noun, "top", "How the server that answers does: rates, waits, queue, agents, lag");
  app->add_option("--window", asked->window, "How far back, 5s to 1h")->capture_default_str();
  app->add_flag("-w,--watch", asked->watch, "Draw it again whenever it changes");
  registry.on(app, "  berth cluster top -w", [asked](Shell& shell) {
    Listing listing;
    for (const char* key : {"from", "to"}) listing.columns.push_back(column(key, key));
    listing.name_path = "to";
    const std::string target = "/v1/operations?window=" + percent_encoded(asked->window);
    return show_or_watch(shell, asked->watch, target, "series", [&shell, listing](const ApiReply& reply) {
      return shell.style().format == Format::kTable ? operations_text(reply.body, shell.style().color)
                                                    : print_one(reply.body, listing, shell.style());
    });
  });
}

void add_log_level(Registry& registry, CLI::App* noun) {
  struct Asked {
    std::string level, lasts;
  };
  auto asked = std::make_shared<Asked>();
  auto* app = registry.verb(noun, "log-level", "What the server that answers logs, or shall log");
  app->add_option("LEVEL", asked->level, "trace, debug, info, warning or error; without it: show it");
  app->add_option("--for", asked->lasts, "Then the level of before comes back, 1s to 24h");
  registry.on(app, "  berth cluster log-level debug --for 10m", [asked](Shell& shell) -> Outcome<int> {
    const auto api = shell.api();
    if (!api) return api.failure();
    if (asked->level.empty() && !asked->lasts.empty())
      return usage_failure("--for without a level", "berth cluster log-level debug --for 10m");
    json::object body{{"level", asked->level}};
    if (!asked->lasts.empty()) body["for"] = asked->lasts;
    const auto reply = having(
        asked->level.empty() ? (*api)->get("/v1/log-level") : (*api)->put("/v1/log-level", body), {"level"});
    if (!reply) return reply.failure();
    Listing listing;
    listing.columns = {column("LEVEL", "level")};
    listing.name_path = "level";
    shell.out() << print_one(reply->body, listing, shell.style());
    return kOk;
  });
}

}  // namespace

void add_cluster_commands(Registry& registry) {
  auto* noun = registry.noun("cluster", "The cluster as a whole");
  auto* show = registry.verb(noun, "show", "Leader, epoch, position, state hash, counts");
  registry.on(show, "  berth cluster show -o json", [](Shell& shell) {
    Listing listing;
    for (const char* key : {"cluster_id", "version", "epoch", "leader", "position", "state_hash"})
      listing.columns.push_back(column(key, key));
    listing.name_path = "cluster_id";
    return show_or_watch(shell, false, "/v1/cluster", "cluster_id", [&](const ApiReply& reply) {
      return shell.style().format == Format::kTable ? cluster_text(reply.body, shell.style().color)
                                                    : print_one(reply.body, listing, shell.style());
    });
  });
  auto* app = registry.verb(
      noun, "verify",
      "Replay the whole journal here and compare state hash and rolling hash with the live ones");
  registry.on(app, "  berth cluster verify", verify);
  add_top(registry, noun);
  add_cluster_history(registry, noun);
  add_rotate_key(registry, noun);
  add_operator_commands(registry, noun);
  add_log_level(registry, noun);
}

}  // namespace berth::cli
