// berth journal export
#include "ops/cli/command/journal_pages.h"
#include "ops/cli/command/registry.h"

namespace berth::cli {

void add_journal_commands(Registry& registry) {
  auto* noun = registry.noun("journal", "The raw journal, for programs of your own");
  struct Export {
    std::uint64_t from = 0;
    std::optional<std::uint64_t> to;
  };
  auto o = std::make_shared<Export>();
  auto* app = registry.verb(
      noun, "export",
      "Records as they lie in the log, a JSON line each: {\"offset\", \"payload\": base64 or null}");
  app->add_option("--from", o->from, "First offset")->capture_default_str()->type_name("OFFSET");
  app->add_option("--to", o->to, "Stop before this offset (default: what is durable now)")
      ->type_name("OFFSET");
  registry.on(app, "  berth journal export > journal.jsonl && ops/read_journal.py journal.jsonl",
              [o](Shell& shell) -> Outcome<int> {
                const auto api = shell.api();
                if (!api) return api.failure();
                Offset next = o->from;
                const auto read = read_journal(
                    **api, o->from, std::nullopt,
                    [&](const Uuid& cluster, const JournalEntry& entry) -> Outcome<bool> {
                      if (o->to && entry.offset >= *o->to) return false;
                      if (entry.offset == o->from)
                        shell.out() << "{\"cluster_id\":\"" << to_string(cluster) << "\",\"from\":" << o->from
                                    << "}\n";
                      const std::string payload = entry.text ? '"' + *entry.text + '"' : "null";
                      shell.out() << "{\"offset\":" << entry.offset << ",\"payload\":" << payload << "}\n";
                      next = entry.offset + 1;
                      return static_cast<bool>(shell.out());
                    });
                if (!read) return read.failure();
                shell.note("exported " + std::to_string(next - o->from) + " records, next offset " +
                           std::to_string(next));
                return kOk;
              });
}

}  // namespace berth::cli
