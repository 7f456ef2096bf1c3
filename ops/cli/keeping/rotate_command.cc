// berth key rotate seal: a new key seals, what lives is sealed anew, old keys are destroyed. It goes on where
// an earlier run stopped: each step asks the server how far it is.
#include "ops/cli/command/registry.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct RotateOptions {
  bool destroy_old = false, status = false;
  std::vector<std::string> without;
};

std::string joined(const json::array& numbers) {
  std::string out;
  for (const auto& number : numbers) out += (out.empty() ? "" : ", ") + json::serialize(number);
  return out;
}

void print_sealing(Shell& shell, const json::value& sealing) {
  Listing listing;
  listing.columns = {column("SEALING", "sealing"), column("NEWEST", "newest"),
                     column("TO RESEAL", "to_reseal"), column("LIVE", "live")};
  listing.name_path = "newest";
  json::value shown = sealing;
  if (shell.style().format == Format::kTable) shown.as_object()["live"] = joined(array_at(sealing, "live"));
  shell.out() << print_one(shown, listing, shell.style());
  if (shell.style().format != Format::kTable || array_at(sealing, "servers").empty()) return;
  Listing servers;
  servers.columns = {column("SERVER", "name"), column("SEALS WITH", "sealing"), column("SAID AT", "said_at")};
  servers.name_path = "name";
  shell.out() << "\n" << print_list(array_at(sealing, "servers"), servers, shell.style());
}

Outcome<json::value> look(Api& api) {
  const auto reply = having(api.get("/v1/sealing"), {"sealing", "newest", "to_reseal", "live"});
  if (!reply) return reply.failure();
  return reply->body;
}

// A server seals with a new key two seconds after it read of it. It is given ten.
Outcome<json::value> await_sealing(Shell& shell, Api& api) {
  constexpr int kLooksMax = 50;
  constexpr auto kBetweenTries = std::chrono::milliseconds(200);
  auto sealing = look(api);
  for (int i = 0; i < kLooksMax && sealing; ++i) {
    if (integer_at(*sealing, "sealing") == integer_at(*sealing, "newest")) break;
    shell.status("the servers learn the new key");
    if (!api.pause(kBetweenTries)) return interrupted_failure();
    sealing = look(api);
  }
  shell.end_status();
  return sealing;
}

Outcome<bool> reseal_all(Shell& shell, Api& api) {
  std::int64_t done = 0;
  for (;;) {
    const auto reply = having(api.post("/v1/sealing/reseal", json::object{}), {"resealed", "broken"});
    if (!reply && reply.failure().code == "nothing-to-reseal") continue;  // all of them changed meanwhile
    if (!reply) return reply.failure();
    done += integer_at(reply->body, "resealed");
    if (integer_at(reply->body, "resealed") > 0) {
      shell.status("sealed " + std::to_string(done) + " secrets anew");
      continue;
    }
    shell.end_status();
    if (const std::int64_t broken = integer_at(reply->body, "broken"); broken > 0)
      shell.note(std::to_string(broken) + " secrets open with no key and stay as they are");
    shell.note("sealed anew: " + std::to_string(done));
    return true;
  }
}

// Each server says within seconds that it seals with the newest key: it is given as long.
Outcome<bool> destroy(Shell& shell, Api& api, const json::object& which) {
  constexpr int kTriesMax = 30;
  constexpr auto kBetweenTries = std::chrono::milliseconds(500);
  for (int i = 0;; ++i) {
    const auto done = api.post("/v1/sealing/destroy", which);
    if (done || done.failure().code == "unknown-seal-key") break;
    if (done.failure().code != "seal-key-not-learned" || i >= kTriesMax) return done.failure();
    shell.status("a server still seals with an older key");
    if (!api.pause(kBetweenTries)) return interrupted_failure();
  }
  shell.end_status();
  return true;
}

// What is lost with a key are backups of before, unless they keep the keys of their time.
void note_backup(Shell& shell, Api& api) {
  const auto kept = api.get("/v1/history");
  if (!kept) return;
  const std::string backup = text_at(kept->body, "backup");
  shell.note((backup.empty() ? "no backup is known: take one now"
                             : "the newest backup, " + backup.substr(0, 8) + " of " +
                                   text_at(kept->body, "backup_taken_at") +
                                   ", opens with the cluster.json of its time alone: take another one now") +
             " (berth backup DIR --with-secrets)");
}

Outcome<bool> destroy_old(Shell& shell, Api& api, const RotateOptions& o, const json::value& sealing) {
  json::array without(o.without.begin(), o.without.end());
  for (const auto& live : array_at(sealing, "live")) {
    const std::int64_t number = live.to_number<std::int64_t>();
    if (number == integer_at(sealing, "newest")) continue;
    if (const auto done = destroy(shell, api, {{"number", number}, {"without", without}}); !done) return done;
    shell.note("sealing key " + std::to_string(number) +
               " is destroyed: each server erases it, and what it alone sealed is lost for good");
  }
  note_backup(shell, api);
  return true;
}

Outcome<int> rotate(Shell& shell, const RotateOptions& o) {
  const auto connected = shell.api();
  if (!connected) return connected.failure();
  Api& api = **connected;
  auto sealing = look(api);
  if (!sealing) return sealing.failure();
  if (o.status) {
    print_sealing(shell, *sealing);
    return kOk;
  }
  const bool is_new = integer_at(*sealing, "sealing") == integer_at(*sealing, "newest") &&
                      integer_at(*sealing, "to_reseal") == 0 &&
                      (!o.destroy_old || array_at(*sealing, "live").size() < 2);
  if (is_new) {
    if (const auto added = api.post("/v1/sealing/keys", json::object{}); !added) return added.failure();
  }
  sealing = await_sealing(shell, api);
  if (!sealing) return sealing.failure();
  if (integer_at(*sealing, "sealing") != integer_at(*sealing, "newest")) {
    print_sealing(shell, *sealing);
    return Failure{kConflict,
                   "seal-key-not-learned",
                   "the server that answers does not seal with key " + text_at(*sealing, "newest") + " yet",
                   "its log says why; then the same command goes on",
                   {}};
  }
  if (const auto done = reseal_all(shell, api); !done) return done.failure();
  if (o.destroy_old)
    if (const auto done = destroy_old(shell, api, o, *sealing); !done) return done.failure();
  sealing = look(api);
  if (!sealing) return sealing.failure();
  print_sealing(shell, *sealing);
  return kOk;
}

}  // namespace

void add_key_rotate(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<RotateOptions>();
  auto* rotation = registry.verb(noun, "rotate", "Change the cluster's own keys");
  rotation->require_subcommand(1);
  add_rotate_writers(registry, rotation);
  auto* app = registry.verb(rotation, "seal",
                            "A new key seals the cluster's secrets, and those that live are sealed anew");
  app->add_flag("--destroy-old", o->destroy_old,
                "Then erase the older keys on every server: what only they sealed can never be read again");
  app->add_option("--without", o->without, "Servers that are gone for good: they hold up nothing")
      ->type_name("SERVER")
      ->needs("--destroy-old");
  app->add_flag("--status", o->status, "Only show how far it is");
  registry.on(app, "  berth key rotate seal\n  berth key rotate seal --destroy-old",
              [o](Shell& shell) { return rotate(shell, *o); });
}

}  // namespace berth::cli
