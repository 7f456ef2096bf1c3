// berth backup: the journal of a running cluster, checked while it is read, into a folder or a stream.
#include <sodium.h>

#include "events/base/files/private_files.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/replay.h"
#include "ops/cli/keeping/backup_files.h"
#include "ops/cli/keeping/passphrase.h"
#include "ops/cli/keeping/secrets_box.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/times.h"
#include "ops/cli/problem_codes.h"
#include "projections/sealed_secrets.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct BackupOptions {
  std::string target, passphrase_file;
  bool with_secrets = false;
};

// What is asked before the first byte is read: a backup that cannot be ended is not begun.
struct Secrets {
  std::string cluster_file;  // empty: none are wanted
  std::string passphrase;
};

Outcome<Secrets> read_secrets(Shell& shell, const BackupOptions& o, const std::string& cluster_id) {
  if (!o.with_secrets) return Secrets();
  const std::string path = shell.settings().get("data.dir")->value + "/cluster.json";
  auto text = read_private_file(path, "cluster-file",
                                "take a backup with secrets on a controller's machine, with --data of it");
  if (!text) return failure_of(text.error());
  boost::system::error_code ec;
  const json::value file = json::parse(*text, ec);
  if (ec || text_at(file, "cluster") != cluster_id)
    return Failure{kConflict,
                   "cluster-file-of-another-cluster",
                   path + " is not of the cluster that answers, " + cluster_id,
                   "--data and --endpoint are to name the same cluster",
                   {}};
  auto passphrase = given_passphrase(shell, o.passphrase_file, true);
  if (!passphrase) return passphrase.failure();
  return Secrets{std::move(*text), std::move(*passphrase)};
}

// Cuts the journal into pieces, and folds it on the way.
class BackupTaking {
 public:
  BackupTaking(Shell& shell, BackupTarget& target, Manifest& manifest)
      : shell_(shell), target_(target), manifest_(manifest), fold_(manifest.cluster) {}

  Outcome<bool> take(const JournalEntry& entry) {
    auto payload = base64_decoded(entry.text.value_or(""));
    if (!payload || payload->size() > kPayloadBytesMax)
      return Failure{kFailed,
                     "journal-page-malformed",
                     "record " + std::to_string(entry.offset) + " is none",
                     "server and CLI of different versions?",
                     {}};
    append_frame(piece_, entry.text ? &*payload : nullptr);
    if (!entry.text && !gap_) gap_ = entry.offset;
    ++records_;
    if (auto folded = fold_.take({{Stream::kJournal, 0}, entry.offset, std::move(*payload), !entry.text});
        !folded)
      return folded;
    if (piece_.size() < kPieceBytes) return true;
    shell_.status("backed up " + std::to_string(entry.offset + 1) + " of " + std::to_string(manifest_.next) +
                  " records");
    return put_piece();
  }

  Outcome<bool> put_piece() {
    if (records_ == 0) return true;
    const Offset from =
        manifest_.pieces.empty() ? 0 : manifest_.pieces.back().from + manifest_.pieces.back().records;
    const std::string name = piece_name(manifest_.pieces.size());
    manifest_.pieces.push_back({from, records_, piece_.size(), to_hex(as_view(blake2b_256(piece_)))});
    const auto put = target_.put(name, piece_);
    piece_.clear();
    records_ = 0;
    if (put) return true;
    return failure_of(put.error());
  }

  SettledFold& fold() { return fold_; }
  // The first offset that no record has.
  std::optional<Offset> gap() const { return gap_; }

 private:
  Shell& shell_;
  BackupTarget& target_;
  Manifest& manifest_;
  SettledFold fold_;
  std::string piece_;
  std::uint64_t records_ = 0;
  std::optional<Offset> gap_;
};

Outcome<Manifest> begin(Shell& shell, Api& api) {
  const auto live = having(api.get("/v1/cluster?newest=true"),
                           {"position", "state_hash", "rolling_hash", "cluster_id", "rules"});
  if (!live) return live.failure();
  const auto cluster = Uuid::parse(text_at(live->body, "cluster_id"));
  const auto server = shell.server();
  if (!cluster || !server) return Failure{kFailed, kNotBerthCode, "the server names no cluster", {}, {}};
  Manifest manifest;
  manifest.id = shell.world().new_token().substr(0, 32);
  manifest.cluster = *cluster;
  manifest.endpoint = server->endpoint.value;
  manifest.fingerprint = server->fingerprint;
  manifest.log = text_at(live->body, "log");
  manifest.version = text_at(live->body, "version");
  manifest.rules = static_cast<std::uint32_t>(integer_at(live->body, "rules"));
  manifest.next = static_cast<Offset>(integer_at(live->body, "position")) + 1;
  manifest.state_hash = text_at(live->body, "state_hash");
  manifest.rolling_hash = text_at(live->body, "rolling_hash");
  return manifest;
}

Outcome<bool> put(BackupTarget& target, const std::string& name, std::string_view bytes) {
  const auto done = target.put(name, bytes);
  if (done) return true;
  return failure_of(done.error());
}

bool is_state_of(projections::Projection& projection, const Manifest& manifest) {
  return projection.chain().next() == manifest.next &&
         to_hex(as_view(projection.chain().rolling())) == manifest.rolling_hash &&
         to_hex(as_view(projection.state_hash())) == manifest.state_hash;
}

// What was read must be what the server has become by reading it. The newest records may be some that the
// cluster ignored, and no signed head says so yet: then they are read again until one does.
Outcome<bool> check_end(Shell& shell, Api& api, std::unique_ptr<projections::Projection>& projection,
                        const Manifest& manifest) {
  if (is_state_of(*projection, manifest)) return true;
  auto again = replay_until(shell, api, manifest.next - 1, [&](projections::Projection& replayed) {
    return is_state_of(replayed, manifest);
  });
  if (!again) return again.failure();
  projection = std::move(*again);
  if (is_state_of(*projection, manifest)) return true;
  return Failure{kFailed,
                 "backup-differs",
                 "what was read of the journal up to " + std::to_string(manifest.next - 1) +
                     " does not give the server's own state",
                 "berth cluster verify tells which hash differs; a server of another version folds otherwise",
                 {}};
}

// nullopt: it can be restored; else the first offset that no record has.
Outcome<std::optional<Offset>> write_backup(Shell& shell, Api& api, BackupTarget& target,
                                            const Secrets& secrets, Manifest& manifest) {
  BackupTaking taking(shell, target, manifest);
  const auto read = read_journal(
      api, 0, manifest.next, [&](const Uuid& cluster, const JournalEntry& entry) -> Outcome<bool> {
        if (cluster == manifest.cluster) return taking.take(entry);
        return Failure{kFailed, "cluster-changed", "another cluster answers at that address now", {}, {}};
      });
  shell.end_status();
  if (!read) return read.failure();
  if (auto done = taking.put_piece(); !done) return done.failure();
  if (auto folded = taking.fold().finish(); !folded) return folded.failure();
  taking.fold().note_ignored(shell);
  auto& projection = taking.fold().projection();
  if (auto same = check_end(shell, api, projection, manifest); !same) return same.failure();
  manifest.taken = projection->state().epoch().time;
  manifest.sealing_keys = projections::keys_needed(projection->state());
  manifest.with_secrets = !secrets.cluster_file.empty();
  if (manifest.with_secrets) {
    const auto box = seal_secrets(secrets.cluster_file, secrets.passphrase, bound_to(manifest));
    if (!box) return failure_of(box.error());
    if (auto done = put(target, kSecretsName, *box); !done) return done.failure();
  }
  if (auto done = put(target, kManifestName, one_line_json(manifest_json(manifest)) + "\n"); !done)
    return done.failure();
  const auto ended = target.finish();
  if (!ended) return failure_of(ended.error());
  return taking.gap();
}

void print_backup(Shell& shell, const Manifest& manifest, const std::string& target) {
  json::object shown = manifest_json(manifest);
  shown.erase("journal");
  shown["target"] = target;
  Listing listing;
  listing.columns = {column("BACKUP", "id"),
                     column("RECORDS", "records"),
                     column("TAKEN AT", "taken_at"),
                     column("SECRETS", "with_secrets"),
                     column("STATE HASH", "state_hash"),
                     column("TARGET", "target")};
  listing.name_path = "id";
  const std::string text = print_one(shown, listing, shell.style());
  (target == "-" ? shell.err() : shell.out()) << text;
  if (!manifest.with_secrets)
    shell.note("without secrets: a restore will need the cluster.json of a controller besides");
}

// So that the cluster tells how old its newest backup is. The backup is whole without it.
void tell_cluster(Shell& shell, Api& api, const Manifest& manifest) {
  const json::object note{
      {"id", manifest.id},
      {"taken_at", format_time(manifest.taken)},
      {"sealing_keys", json::array(manifest.sealing_keys.begin(), manifest.sealing_keys.end())}};
  if (const auto told = api.post("/v1/history/backups", note); !told)
    shell.note("the backup is whole; the cluster was not told of it: " + told.failure().message);
}

Outcome<int> backup(Shell& shell, const BackupOptions& o) {
  if (shell.is_past()) return no_past_failure();
  const bool to_stream = o.target == "-";
  if (to_stream && shell.world().out_is_terminal)
    return usage_failure("a backup is no text for a terminal", "berth backup - > FILE, or name a folder");
  const auto api = shell.api();
  if (!api) return api.failure();
  auto manifest = begin(shell, **api);
  if (!manifest) return manifest.failure();
  const auto secrets = read_secrets(shell, o, to_string(manifest->cluster));
  if (!secrets) return secrets.failure();
  std::unique_ptr<BackupTarget> target;
  if (to_stream) {
    target = backup_into_stream(shell.out());
  } else {
    auto folder = backup_into_folder(o.target);
    if (!folder) return failure_of(folder.error(), kConflict);
    target = std::move(*folder);
  }
  const auto gap = write_backup(shell, **api, *target, *secrets, *manifest);
  if (!gap) return gap.failure();
  if (!*gap) tell_cluster(shell, **api, *manifest);
  print_backup(shell, *manifest, o.target);
  if (*gap)
    return Failure{kFailed,
                   "journal-has-gaps",
                   "this backup is whole, and cannot be restored: the log has no record at offset " +
                       std::to_string(**gap) + ", and a new log cannot be made to skip one",
                   "keep the original's log; berth audit verify and berth log shell read the backup",
                   {}};
  return kOk;
}

}  // namespace

void add_backup_command(Registry& registry) {
  auto o = std::make_shared<BackupOptions>();
  auto* app = registry.verb(
      nullptr, "backup", "Copy the whole journal of a running cluster, checked, into a folder or a stream");
  app->add_option("TARGET", o->target, "A new folder, or - for standard output (a tar stream)")->required();
  app->add_flag("--with-secrets", o->with_secrets,
                "With the data folder's cluster.json, under a passphrase: what a restore needs");
  add_passphrase_option(app, o->passphrase_file);
  registry.on(app,
              "  berth backup /backups/berth-monday --with-secrets --passphrase-file /root/passphrase\n"
              "  berth backup - | ssh backup-host 'cat > berth.tar'",
              [o](Shell& shell) { return backup(shell, *o); });
}

}  // namespace berth::cli
