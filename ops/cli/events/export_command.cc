// berth event export: events as a file, CSV or JSON lines, which is whole or none.
#include <fcntl.h>

#include <filesystem>

#include "events/base/files/descriptor.h"
#include "ops/cli/app.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/events/event_lines.h"
#include "ops/cli/folders/new_file.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr int kTriesMax = 5;  // in a row that brought no event
constexpr std::uint64_t kNoteEvery = 10'000;

struct ExportOptions {
  std::string from, to, actor, noun, type, format = "jsonl", file, after;
  std::uint64_t limit = 0;
  bool force = false;
};

using ExportSink = std::function<Outcome<bool>(std::string_view)>;

std::string export_target(Shell& shell, const ExportOptions& o, const std::string& after,
                          std::uint64_t count) {
  return with_query("/v1/events/export", {{"from", shell.moment(o.from)},
                                          {"to", shell.moment(o.to)},
                                          {"actor", o.actor},
                                          {"noun", o.noun},
                                          {"type", o.type},
                                          {"after", after},
                                          {"format", o.format},
                                          {"limit", o.limit == 0 ? "" : std::to_string(o.limit - count)}});
}

bool stands_still(const EventLines& lines) { return lines.error() == "log-unavailable"; }

Failure broken_export(const EventLines& lines, const std::string& why) {
  return {stands_still(lines) ? kUnreachable : kFailed,
          "export-cut",
          "the export broke off: " + why,
          lines.last().empty() ? "nothing came" : "go on with --after " + lines.last(),
          {}};
}

// Goes on behind the last whole event after every break, so that the lines are those of one answer.
Outcome<std::string> take_lines(Shell& shell, const ExportOptions& o, const ExportSink& sink) {
  const auto api = shell.api();
  if (!api) return api.failure();
  EventLines lines(o.format == "csv");
  std::optional<Failure> sunk;
  std::uint64_t noted = 0;
  for (int tries = 0;; ++tries) {
    const std::uint64_t before = lines.count();
    lines.begin_again();
    const std::string after = lines.last().empty() ? o.after : lines.last();
    const auto came =
        (*api)->body(export_target(shell, o, after, before),
                     o.format == "csv" ? "text/csv" : "application/x-ndjson", [&](std::string_view bytes) {
                       const std::string whole = lines.take(bytes);
                       if (lines.count() / kNoteEvery != noted) {
                         noted = lines.count() / kNoteEvery;
                         shell.status(std::to_string(lines.count()) + " events, up to " + lines.last());
                       }
                       if (whole.empty()) return true;
                       const auto put = sink(whole);
                       if (!put) sunk = put.failure();
                       return put && *put;
                     });
    if (sunk) return *sunk;
    if (lines.ended()) return lines.closing();
    if (!lines.error().empty() && !stands_still(lines)) return broken_export(lines, lines.error());
    if (lines.count() != before) tries = 0;
    const bool again = came || came.failure().exit == kUnreachable || came.failure().exit == kTimeout;
    if (!again || (before == 0 && lines.count() == 0 && !came)) return came.failure();
    if (tries == kTriesMax)
      return broken_export(lines, stands_still(lines) ? lines.error()
                                  : came              ? "it has no last line"
                                                      : came.failure().message);
    shell.note("the export broke; going on behind " +
               (lines.last().empty() ? "the beginning" : lines.last()));
    if (!(*api)->pause(std::chrono::milliseconds(100 << tries))) return interrupted_failure();
  }
}

void tell_whole(Shell& shell, const std::string& closing, const std::string& where) {
  boost::system::error_code error;
  const json::value end = json::parse(closing, error);
  const std::string next = text_at(end, "next");
  shell.note(where + "all events up to record " + std::to_string(integer_at(end, "to")) +
             (next.empty() ? "" : " and the limit; the next ones: --after " + next));
}

Outcome<int> export_to_file(Shell& shell, const ExportOptions& o) {
  const std::filesystem::path path(o.file);
  const std::string folder = path.parent_path().empty() ? "." : path.parent_path().string();
  const Descriptor open_folder(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!open_folder)
    return usage_failure("no folder " + folder + " can be opened", "is the path of --file right?");
  if (!o.force && std::filesystem::exists(std::filesystem::symlink_status(path)))
    return usage_failure(o.file + " is there already", "--force replaces it");
  NewFile file(open_folder.get(), path.filename().string());
  if (auto opened = file.open(); !opened) return opened.failure();
  const auto closing = take_lines(shell, o, [&file](std::string_view bytes) { return file.write(bytes); });
  shell.end_status();
  if (!closing) return closing.failure();
  if (auto put = file.put_in_place(o.force); !put) return put.failure();
  tell_whole(shell, *closing, o.file + " has ");
  return kOk;
}

Outcome<int> export_events(Shell& shell, const ExportOptions& o) {
  if (shell.is_past()) return no_past_failure();
  shell.catch_signals();
  if (!o.file.empty() && o.file != "-") return export_to_file(shell, o);
  const auto closing = take_lines(shell, o, [&shell](std::string_view bytes) -> Outcome<bool> {
    shell.out() << bytes << std::flush;
    if (!shell.out()) return Failure{kFailed, "write-failed", "the output takes no more", {}, {}};
    return true;
  });
  shell.end_status();
  if (!closing) return closing.failure();
  tell_whole(shell, *closing, "");
  return kOk;
}

}  // namespace

void add_event_export(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<ExportOptions>();
  auto* app = registry.verb(noun, "export",
                            "Events as a file, CSV or JSON lines; its last line says that it is whole");
  app->add_option("--from", o->from, "First record: a position, a time with its zone, or 14:03, the last one")
      ->type_name("MOMENT");
  app->add_option("--to", o->to, "Last record (default: the newest)")->type_name("MOMENT");
  app->add_option("--actor", o->actor, "Only what these asked for, like alice,agent:a1,controller")
      ->type_name("ACTORS");
  app->add_option("--noun", o->noun, "Only what is about these, like session,folder,user")
      ->type_name("NOUNS");
  app->add_option("-t,--type", o->type, "Only these types, like SessionScheduled,KernelRunning")
      ->type_name("TYPES");
  app->add_option("--format", o->format, "csv for spreadsheets, jsonl for programs")
      ->capture_default_str()
      ->check(one_of({"csv", "jsonl"}));
  app->add_option("--file", o->file, "Into this file, when all is there (default: the output)")
      ->type_name("FILE");
  app->add_flag("--force", o->force, "Replace the file");
  app->add_option("--after", o->after, "Go on behind this event, like 17-0")->type_name("ID");
  app->add_option("-n,--limit", o->limit, "At most so many events")->type_name("N");
  registry.on(
      app,
      "  berth event export --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z --format csv --file "
      "january.csv\n"
      "  berth event export --actor alice --noun session,folder",
      [o](Shell& shell) { return export_events(shell, *o); });
}

}  // namespace berth::cli
