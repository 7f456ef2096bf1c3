// berth cluster show, verify, rotate-key, and what an operator decides
#include "ops/cli/command/registry.h"
#include "ops/cli/command/replay.h"
#include "ops/cli/command/watch.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"
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
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto live = having((*api)->get("/v1/cluster?newest=true"), {"position", "state_hash"});
  if (!live) return live.failure();
  const auto position = static_cast<Offset>(integer_at(live->body, "position"));
  const std::string state_hash = text_at(live->body, "state_hash"),
                    rolling = text_at(live->body, "rolling_hash");
  auto replay = replay_to(shell, **api, position);
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
  auto* confirm = registry.verb(noun, "confirm-clock",
                                "Believe the controllers' clock after it jumped; deadlines fire again");
  registry.on(confirm, "  berth cluster confirm-clock", [act](Shell& shell) {
    return act(shell, "/v1/clock/confirm", nullptr, "the clock is believed again");
  });
  auto* accept = registry.verb(noun, "accept-truncation",
                               "Give up journal records that this server had read and that the log lost");
  registry.on(accept, "  berth cluster accept-truncation", [act](Shell& shell) {
    return act(shell, "/v1/cluster/accept-truncation", nullptr, "accepted: this server is ready again");
  });
}

// On a folder, whether a server runs on it or not: it reads the file when it starts.
Outcome<int> rotate_key(Shell& shell) {
  const auto setting = shell.settings().get("data.dir");
  const std::string file = (setting ? setting->value : UpOptions().data) + "/cluster.json";
  const auto number = shell.world().add_sealing_key(file);
  if (!number) {
    Failure failure = failure_of(number.error());
    if (failure.code == "cluster-file-missing") failure.hint = "--data names the data folder of a controller";
    return failure;
  }
  Listing listing;
  listing.columns = {column("KEY", "number"), column("FILE", "file")};
  listing.name_path = "number";
  shell.out() << print_one(json::object{{"number", *number}, {"file", file}}, listing, shell.style());
  shell.note("1. copy " + file + " to every other controller of the cluster, before any of them restarts");
  shell.note("2. restart the controllers, one after the other: the new key seals, the older ones still open");
  shell.note(
      "A controller with an older file cannot open what the new key has sealed (unknown-sealing-key).");
  return kOk;
}

void add_rotate_key(Registry& registry, CLI::App* noun) {
  auto* app = registry.verb(
      noun, "rotate-key",
      "Add a key that seals secrets to a data folder's cluster.json: on one controller, then copy the file");
  registry.on(app, "  berth cluster rotate-key --data /var/lib/berth", rotate_key);
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
  add_rotate_key(registry, noun);
  add_operator_commands(registry, noun);
}

}  // namespace berth::cli
