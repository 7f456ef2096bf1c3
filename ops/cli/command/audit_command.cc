// berth audit head, verify, rotate-head-key
#include "events/base/hash.h"
#include "ops/cli/command/file_lines.h"
#include "ops/cli/command/journal_pages.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/keeping/any_log.h"
#include "ops/cli/output/json_text.h"
#include "projections/audit/chain_audit.h"

namespace berth::cli {
namespace {

namespace json = boost::json;
using projections::ChainAudit;
using projections::SignedHead;

constexpr Offset kNoteEvery = 50'000;
constexpr std::size_t kHeadBytesMax = 256u << 10;

// Always the one JSON object that --head takes, whatever the format: it is kept elsewhere.
Outcome<int> print_head(Shell& shell) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = having((*api)->get("/v1/audit/head"), {"signed"});
  if (!reply) return reply.failure();
  const auto* is_signed = find_path(reply->body, "signed");
  if (is_signed == nullptr || !is_signed->is_bool() || !is_signed->get_bool())
    return Failure{kNotFound,
                   "no-signed-head",
                   "no chain head is signed yet",
                   "the leader signs one some seconds after something happened",
                   {}};
  const auto head = projections::read_head(reply->body);
  if (!head) return failure_of(head.error());
  shell.out() << json::serialize(projections::to_json(*head)) << "\n";
  shell.note("signed by key " + to_hex(head->key) +
             ": keep this output where nobody of the cluster can write");
  return kOk;
}

Outcome<SignedHead> read_head_file(const std::string& path) {
  const auto text = read_small_file(path, kHeadBytesMax);
  if (!text) return text.failure();
  auto head = projections::read_head(std::string_view(*text));
  if (!head) {
    Failure failure = failure_of(head.error(), kUsage);
    failure.message = path + ": " + failure.message;
    return failure;
  }
  return std::move(*head);
}

// Feeds the audit; false: it wants no more.
Outcome<bool> feed(Shell& shell, ChainAudit& audit, const JournalEntry& entry) {
  std::optional<std::string> payload = base64_decoded(entry.text.value_or(""));
  if (!payload)
    return Failure{kFailed,
                   "journal-page-malformed",
                   "offset " + std::to_string(entry.offset) + " is no base64",
                   {},
                   {}};
  if (entry.offset % kNoteEvery == 0 && entry.offset != 0)
    shell.status("checked " + std::to_string(entry.offset) + " records");
  return audit.take({{Stream::kJournal, 0}, entry.offset, std::move(*payload), !entry.text});
}

// The output of `berth journal export`: a line that names the cluster, and one a record. An offset that is
// not the next one is something that the audit found, and no malformed file.
Outcome<bool> read_export(Shell& shell, const std::string& path, ChainAudit& audit) {
  FileLines lines(path);
  for (std::size_t number = 1;; ++number) {
    const auto line = lines.next();
    if (!line) return line.failure();
    const auto bad = [&](const std::string& why) {
      return Failure{kUsage,
                     "export-malformed",
                     path + ", line " + std::to_string(number) + ": " + why,
                     "it is what `berth journal export` prints",
                     {}};
    };
    if (!*line) return audit.next() > 0 || audit.finding() ? Outcome<bool>(true) : bad("no record comes");
    if ((*line)->empty()) continue;
    boost::system::error_code broken;
    const json::value value = json::parse(**line, broken);
    if (broken || !value.is_object()) return bad("no JSON object");
    if (number == 1 && find_path(value, "payload") == nullptr) {
      const auto* from = find_path(value, "from");
      if (from == nullptr || find_path(value, "cluster_id") == nullptr) return bad("no head of an export");
      if (!from->is_int64() || from->as_int64() != 0) return bad("an audit walks an export from offset 0");
      continue;
    }
    const auto *payload = find_path(value, "payload"), *offset = find_path(value, "offset");
    if (payload == nullptr || offset == nullptr || !(payload->is_string() || payload->is_null()))
      return bad("no record");
    if (!offset->is_int64() || offset->as_int64() < 0) return bad("its offset is none");
    if (static_cast<Offset>(offset->as_int64()) != audit.next()) {
      audit.miss();
      return true;
    }
    const auto more =
        feed(shell, audit,
             {audit.next(), payload->is_null() ? std::nullopt : std::optional(text_at(value, "payload"))});
    if (!more) return more.failure();
    if (!*more) return true;
  }
}

// What the newest records are a signed head may tell that comes within 15 s.
Outcome<bool> read_server(Shell& shell, ChainAudit& audit) {
  constexpr int kLooks = 4;
  constexpr std::chrono::seconds kPause{10};
  const auto api = shell.api();
  if (!api) return api.failure();
  for (int look = 1;; ++look) {
    const auto read =
        read_journal(**api, audit.next(), std::nullopt,
                     [&](const Uuid&, const JournalEntry& entry) { return feed(shell, audit, entry); });
    if (!read) return read.failure();
    if (!audit.doubts() || look == kLooks) return true;
    shell.note("no signed head covers the newest records yet: looking again in 10 s");
    if (!(*api)->pause(kPause)) return interrupted_failure();
  }
}

// Of a log for which no server need run.
Outcome<bool> read_offline(Shell& shell, const LogPlace& place, ChainAudit& audit) {
  std::optional<Error> lost;
  auto log = open_any_log(shell, place, &lost);
  if (!log) return failure_of(log.error(), log.error().code == "no-log-here" ? kUsage : kFailed);
  constexpr Partition kJournal{Stream::kJournal, 0};
  const auto extent = (*log)->extent(kJournal);
  if (!extent) return failure_of(extent.error());
  if (extent->begin != 0)
    return Failure{
        kFailed,
        "log-pruned",
        "the journal in " + place.where + " begins at " + std::to_string(extent->begin) + ", not at 0",
        "an audit walks the whole journal",
        {}};
  auto reader = (*log)->open_reader({{kJournal, 0}});
  if (!reader) return failure_of(reader.error());
  while (audit.next() < extent->end) {
    const auto entries = read_on(**reader, kOfflinePatience, 4'096, kOfflineBytesAtOnce);
    if (!entries) return failure_of(entries.error());
    for (const LogEntry& entry : *entries) {
      if (entry.offset % kNoteEvery == 0 && entry.offset != 0)
        shell.status("checked " + std::to_string(entry.offset) + " records");
      if (entry.offset >= extent->end || !audit.take(entry)) return true;
    }
  }
  if (lost) return failure_of(*lost);
  return true;
}

bool is_url(const std::string& text) { return text.starts_with("http://") || text.starts_with("https://"); }

// Of --log: the journal of the usual server, or of that one; a log as it lies somewhere; or an export.
Outcome<bool> read_log(Shell& shell, const LogPlace& log, ChainAudit& audit) {
  if (is_url(log.where)) shell.use_endpoint(log.where);
  if (log.where.empty() || is_url(log.where)) return read_server(shell, audit);
  return is_place_of_log(log.where) ? read_offline(shell, log, audit) : read_export(shell, log.where, audit);
}

json::object result_json(const ChainAudit& audit, bool has_kept) {
  json::object out{{"good", audit.is_good()},
                   {"records", audit.counts().records},
                   {"applied", audit.counts().applied},
                   {"void", audit.counts().voided},
                   {"ignored", audit.counts().ignored},
                   {"heads", audit.counts().heads},
                   {"keys", audit.counts().keys},
                   {"offset", audit.next()},
                   {"rolling_hash", to_hex(as_view(audit.point().rolling))},
                   {"head_file", has_kept ? (audit.kept_found() ? "extended" : "not extended") : "none"},
                   {"first_bad", nullptr}};
  out["signed_up_to"] = audit.head() ? json::value(audit.head()->offset) : json::value();
  if (audit.finding()) out["first_bad"] = audit.finding()->offset;
  return out;
}

Outcome<int> verify_log(Shell& shell, const std::string& head_file, const LogPlace& log) {
  std::optional<SignedHead> kept;
  if (!head_file.empty()) {
    auto read = read_head_file(head_file);
    if (!read) return read.failure();
    kept = std::move(*read);
  }
  const bool has_kept = kept.has_value();
  ChainAudit audit(std::nullopt, std::move(kept));
  const auto walked = read_log(shell, log, audit);
  shell.end_status();
  if (!walked) return walked.failure();
  audit.finish();
  const json::value result = result_json(audit, has_kept);
  Listing listing;
  for (const char* key : {"good", "records", "applied", "void", "ignored", "heads", "keys", "signed_up_to",
                          "head_file", "first_bad", "rolling_hash"})
    listing.columns.push_back(column(key, key));
  listing.name_path = "rolling_hash";
  shell.out() << print_one(result, listing, shell.style());
  shell.out().flush();
  for (const auto& record : audit.ignored()) shell.note(to_string(record));
  if (audit.counts().ignored > audit.ignored().size())
    shell.note("and " + std::to_string(audit.counts().ignored - audit.ignored().size()) +
               " more records that the cluster ignored");
  if (audit.finding())
    return Failure{kFailed,
                   audit.finding()->code,
                   audit.finding()->message,
                   "first bad offset " + std::to_string(audit.finding()->offset) +
                       ": keep the log as it is, and compare with a backup",
                   {}};
  if (!audit.head())
    shell.note("no chain head is signed in this log: that nothing was changed is shown by its links alone");
  else if (audit.head()->offset < audit.next())
    shell.note("the records from offset " + std::to_string(audit.head()->offset) +
               " on are not signed yet: their links hold");
  return kOk;
}

Outcome<int> rotate_head_key(Shell& shell) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = having((*api)->post("/v1/audit/head-key", nullptr), {"key"});
  if (!reply) return reply.failure();
  Listing listing;
  listing.columns = {column("KEY", "key"), column("BEFORE", "previous_key")};
  listing.name_path = "key";
  shell.out() << print_one(reply->body, listing, shell.style());
  shell.note("heads are signed with it from here on; the key before has signed it");
  return kOk;
}

}  // namespace

void add_audit_commands(Registry& registry) {
  auto* noun = registry.noun("audit", "Whether the log is still what it was: signed heads and their proof");
  auto* head = registry.verb(noun, "head", "The newest signed chain head, to be kept elsewhere");
  registry.on(head, "  berth audit head > head-$(date +%F).json", print_head);
  struct Verify {
    std::string head;
    LogPlace log;
  };
  auto o = std::make_shared<Verify>();
  auto* app = registry.verb(
      noun, "verify", "Walk the journal, check links, hashes and signatures, and name the first bad offset");
  app->add_option("--head", o->head, "A head that was kept: the log must extend it")
      ->type_name("FILE")
      ->check(not_empty());
  app->add_option(
         "--log", o->log.where,
         std::string(
             "Instead of the server's journal: the output of `berth journal export`, the URL of another "
             "server, or, for which no server need run, the ") +
             kAnyLogHelp)
      ->type_name("FILE|DIR|URL")
      ->check(not_empty());
  add_kafka_config_option(app, o->log);
  registry.on(app,
              "  berth audit verify --head head-2026-11-25.json\n"
              "  berth audit verify --head head-2026-11-25.json --log /backup/berth",
              [o](Shell& shell) { return verify_log(shell, o->head, o->log); });
  auto* rotate =
      registry.verb(noun, "rotate-head-key", "A new key for signing heads, signed by the one of now");
  registry.on(rotate, "  berth audit rotate-head-key", rotate_head_key);
}

}  // namespace berth::cli
