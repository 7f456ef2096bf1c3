// berth restore: a backup becomes the log of the same cluster elsewhere.
#include <filesystem>

#include "events/base/files/private_files.h"
#include "events/codec/words/enum_words.h"
#include "events/log/open/open_log.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/keeping/lost_secrets.h"
#include "ops/cli/keeping/original.h"
#include "ops/cli/keeping/passphrase.h"
#include "ops/cli/keeping/restore.h"
#include "ops/cli/keeping/secrets_box.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/times.h"
#include "projections/sealed_secrets.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

struct RestoreOptions {
  std::string backup, log, cluster_file, passphrase_file, kafka_config;
  std::vector<std::string> originals;
  bool allow_one_replica = false, lose_secrets = false;
};

// cluster.json, and what it says.
struct Given {
  std::string text;
  controller::ClusterIdentity identity;
};

Outcome<std::string> cluster_file_text(Shell& shell, const BackupSource& source, const RestoreOptions& o) {
  if (!o.cluster_file.empty()) {
    auto text = read_private_file(o.cluster_file, "cluster-file", "copy it from a controller of the cluster");
    if (!text) return failure_of(text.error());
    return *text;
  }
  if (!source.manifest().with_secrets)
    return Failure{
        kConflict,
        "backup-without-secrets",
        "this backup has no secrets: without them nobody can write to its cluster's log",
        "give the original's cluster.json (--cluster-file FILE); to read it alone takes no restore",
        {}};
  const auto passphrase = given_passphrase(shell, o.passphrase_file, false);
  if (!passphrase) return passphrase.failure();
  const auto box = source.read_secrets();
  if (!box) return failure_of(box.error());
  auto text = open_secrets(*box, *passphrase, bound_to(source.manifest()));
  if (!text) return failure_of(text.error(), kDenied);
  return *text;
}

Outcome<Given> read_identity(Shell& shell, const BackupSource& source, const RestoreOptions& o) {
  auto text = cluster_file_text(shell, source, o);
  if (!text) return text.failure();
  auto identity = controller::parse_cluster_identity(
      *text, o.cluster_file.empty() ? "the cluster.json in the backup" : o.cluster_file);
  if (!identity) return failure_of(identity.error());
  if (identity->cluster != source.manifest().cluster)
    return Failure{
        kConflict,
        "cluster-file-of-another-cluster",
        "that cluster.json is not of the cluster of this backup, " + to_string(source.manifest().cluster),
        {},
        {}};
  return Given{std::move(*text), std::move(*identity)};
}

Outcome<bool> check_folder(const std::string& data) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(data, error)) || (fs::is_directory(data) && fs::is_empty(data, error)))
    return true;
  return Failure{kConflict,
                 "restore-target-not-empty",
                 data + " is not an empty folder",
                 "--data names a new one: what is there is never overwritten",
                 {}};
}

// Takes away what a restore that failed has made of a new data folder.
class NewFolder {
 public:
  explicit NewFolder(std::string path) : path_(std::move(path)) {}
  ~NewFolder() {
    std::error_code ignored;
    if (!kept_)
      for (const auto& entry : fs::directory_iterator(path_, ignored)) fs::remove_all(entry.path(), ignored);
  }
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

json::array users_of(const projections::State& state) {
  json::array out;
  for (const std::string& name : state.users.sorted_keys()) {
    const auto& def = state.users.find(name)->def;
    out.push_back(json::object{{"name", name},
                               {"role", word(def.role())},
                               {"disabled", def.disabled()},
                               {"password", state.passwords.find(name) != nullptr}});
  }
  return out;
}

json::array keys_of(const projections::State& state) {
  json::array out;
  for (const std::string& id : state.key_pairs.sorted_keys()) {
    const auto& def = state.key_pairs.find(id)->def;
    const bool is_dead = projections::is_destroyed(state, def.secret().key());
    json::object key{
        {"id", id}, {"user", def.user()}, {"name", def.name()}, {"active", def.active() && !is_dead}};
    key["expires_at"] = def.expires_ns() == 0 ? json::value() : json::value(format_time(def.expires_ns()));
    out.push_back(std::move(key));
  }
  return out;
}

json::object told(const BackupSource& source, const RestorePlan& plan, const std::string& data,
                  const std::string& log) {
  const Manifest& manifest = source.manifest();
  const auto& state = plan.projection->state();
  return {{"backup", manifest.id},
          {"cluster_id", to_string(manifest.cluster)},
          {"taken_at", format_time(manifest.taken)},
          {"records", manifest.next},
          {"backup_state_hash", manifest.state_hash},
          {"state_hash", to_hex(as_view(plan.projection->state_hash()))},
          {"position", plan.projection->chain().next() - 1},
          {"epoch", state.epoch().epoch},
          {"data", data},
          {"log", log},
          {"browser_sessions_ended", plan.browser_sessions},
          {"login_links_ended", plan.links},
          {"agents", state.agents.size()},
          {"users", users_of(state)},
          {"keys", keys_of(state)}};
}

Listing listing_of(std::initializer_list<std::pair<const char*, const char*>> columns) {
  Listing listing;
  for (const auto& [title, member] : columns) listing.columns.push_back(column(title, member));
  return listing;
}

void print_restored(Shell& shell, const json::object& result) {
  if (shell.style().format != Format::kTable) {
    Listing listing =
        listing_of({{"BACKUP", "backup"}, {"POSITION", "position"}, {"STATE HASH", "state_hash"}});
    listing.name_path = "backup";
    shell.out() << print_one(result, listing, shell.style());
    return;
  }
  const auto say = [&](const char* member) { return text_at(result, member); };
  shell.out() << "restored cluster " << say("cluster_id") << " as it was at " << say("taken_at") << "\n"
              << "  log    " << say("log") << ", " << say("records") << " records of the backup, epoch "
              << say("epoch") << "\n  data   " << say("data") << "\n  ended  "
              << say("browser_sessions_ended") << " browser sessions, " << say("login_links_ended")
              << " login links\n\nThese users live again:\n"
              << print_list(result.at("users").as_array(),
                            listing_of({{"USER", "name"},
                                        {"ROLE", "role"},
                                        {"DISABLED", "disabled"},
                                        {"PASSWORD", "password"}}),
                            shell.style())
              << "\nThese key pairs live again:\n"
              << print_list(result.at("keys").as_array(),
                            listing_of({{"KEY", "id"},
                                        {"USER", "user"},
                                        {"NAME", "name"},
                                        {"ACTIVE", "active"},
                                        {"EXPIRES", "expires_at"}}),
                            shell.style());
  shell.note(
      "whoever was removed, disabled or given a new password after that time is as before it: look at "
      "both lists");
  shell.note("agents join anew: point each at the new log (or address) and start it again");
}

Outcome<int> restore_into(Shell& shell, const BackupSource& source, const RestoreOptions& o,
                          const Given& given, RestorePlan& plan, const std::string& data) {
  if (auto made = make_private_folder(data); !made) return failure_of(made.error());
  NewFolder folder(data);
  const std::string url = o.log.empty() ? "local:" + data + "/log" : o.log;
  OpenLog wanted;
  wanted.url = url;
  wanted.kafka_config = o.kafka_config;
  wanted.allow_one_replica = o.allow_one_replica;
  wanted.producer_timeout = 60 * kSecond;
  auto log = open_log(wanted);
  if (!log) return failure_of(log.error());
  if (auto empty = check_empty(**log); !empty) return failure_of(empty.error(), kConflict);
  if (auto planned = plan_restore(plan, source, given.identity, url, shell.now()); !planned)
    return failure_of(planned.error());
  const auto written = write_restored(source, plan, **log, [&](Offset offset) {
    shell.status("restored " + std::to_string(offset) + " of " + std::to_string(source.manifest().next) +
                 " records");
  });
  shell.end_status();
  if (!written) {
    Failure failure = failure_of(written.error());
    if (!o.log.empty()) failure.hint += "; what it wrote to " + url + " is no use: remove those streams";
    return failure;
  }
  log->reset();  // on the disk, before the file that makes it a cluster's
  if (auto kept = write_private_file(data + "/cluster.json", given.text, "cluster-file"); !kept)
    return failure_of(kept.error());
  folder.keep();
  print_restored(shell, told(source, plan, data, url));
  return kOk;
}

// A cluster whose keys and passwords do not open is not restored: nobody would get in.
Outcome<bool> check_secrets(Shell& shell, RestorePlan& plan, const Given& given, const RestoreOptions& o) {
  const LostSecrets lost = find_lost_secrets(plan.projection->state(), plan.seal_keys, given.identity);
  if (lost.empty()) return true;
  if (lost.seals_with_none)
    return Failure{kConflict,
                   "sealing-keys-wrong",
                   "the log of this backup destroyed each sealing key of this cluster.json",
                   "give the cluster.json of when the backup was taken, or of later (--cluster-file)",
                   {}};
  std::string numbers;
  for (const std::uint32_t number : lost.sealed_with)
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
  const std::string what =
      to_string(lost) + " were sealed with key " + numbers + ", which this cluster.json does not have";
  if (!o.lose_secrets)
    return Failure{kConflict,
                   "sealing-keys-wrong",
                   what,
                   "give the cluster.json of when the backup was taken (--cluster-file); where that key was "
                   "destroyed for good, --lose-secrets restores all but these",
                   {}};
  plan.lost_seal_keys = lost.sealed_with;
  shell.note(what + ": they are dead");
  shell.note("berth login-link USER, on the controller's machine, makes a way in");
  return true;
}

Outcome<int> restore(Shell& shell, const RestoreOptions& o) {
  std::error_code error;
  const std::string data =
      fs::absolute(shell.settings().get("data.dir")->value, error).lexically_normal().string();
  if (auto empty = check_folder(data); !empty) return empty.failure();
  auto source = BackupSource::open(o.backup, data + ".restoring");
  if (!source) return failure_of(source.error());
  const auto given = read_identity(shell, *source, o);
  if (!given) return given.failure();
  if (auto gone = check_original(shell, source->manifest(), given->identity, o.originals); !gone)
    return gone.failure();
  shell.note("checking " + std::to_string(source->manifest().next) + " records");
  auto plan = fold_backup(*source, given->identity);
  if (!plan) return failure_of(plan.error());
  if (auto opens = check_secrets(shell, *plan, *given, o); !opens) return opens.failure();
  return restore_into(shell, *source, o, *given, *plan, data);
}

}  // namespace

void add_restore_command(Registry& registry) {
  auto o = std::make_shared<RestoreOptions>();
  auto* app = registry.verb(nullptr, "restore",
                            "Make a backup the log of its cluster again, in a new data folder (--data)");
  app->add_option("BACKUP", o->backup, "A folder or a tar of it; - for standard input")->required();
  app->add_option("--log", o->log, "Where to: local:DIR (default: DATA/log), kafka://HOST:PORT/STREAMS")
      ->type_name("URL");
  app->add_option("--cluster-file", o->cluster_file,
                  "The original's cluster.json, for a backup without secrets")
      ->type_name("FILE");
  app->add_option("--original", o->originals, "Further addresses of the original, which must not answer")
      ->type_name("URL");
  app->add_option("--kafka-config", o->kafka_config, "librdkafka's properties, for SASL and TLS")
      ->type_name("FILE");
  app->add_flag("--lose-secrets", o->lose_secrets,
                "Restore although the sealing key of some secrets is destroyed: these stay closed for ever");
  app->add_flag("--allow-one-replica", o->allow_one_replica, "Streams that a disk's loss takes along");
  add_passphrase_option(app, o->passphrase_file);
  registry.on(
      app,
      "  berth restore /backups/berth-monday --data /var/lib/berth --passphrase-file /root/passphrase\n"
      "  berth restore berth.tar --data /srv/berth --log kafka://kafka1:9092/restored",
      [o](Shell& shell) { return restore(shell, *o); });
}

}  // namespace berth::cli
