// berth scenario export: the cell's state as a file for `berth schedule --scenario`.
#include "ops/cli/command/paging.h"
#include "ops/cli/command/pairs.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

struct ExportTo {
  std::string group, file;
};

Outcome<int> export_scenario(Shell& shell, const ExportTo& o) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = (*api)->get(with_query("/v1/scenario", {{"group", o.group}}));
  if (!reply) return reply.failure();
  const auto* scenario = find_path(reply->body, "scenario");
  if (scenario == nullptr)
    return Failure{
        kFailed, "bad-answer", "the server's answer has no scenario", "is it of another version?", {}};
  const std::string text = pretty_json(*scenario) + "\n";
  if (o.file.empty() || o.file == "-")
    shell.out() << text;
  else if (!shell.world().write_file(o.file, text))
    return usage_failure("cannot write '" + o.file + "'");
  for (const auto& note : array_at(reply->body, "notes")) shell.note("note: " + printable(scalar_text(note)));
  if (!o.file.empty() && o.file != "-")
    shell.note("wrote " + o.file + ", the state at journal offset " + text_at(reply->body, "position"));
  return kOk;
}

}  // namespace

void add_scenario_commands(Registry& registry) {
  auto* noun = registry.noun("scenario", "Situations as files, which `berth schedule --scenario` runs");
  auto o = std::make_shared<ExportTo>();
  auto* app = registry.verb(noun, "export", "The state of the cluster now as a scenario file (superadmin)");
  app->add_option("-g,--group", o->group, "Only this resource group")->type_name("GROUP");
  app->add_option("-f,--file", o->file, "Write it there instead of to stdout")->type_name("FILE");
  registry.on(app,
              "  berth scenario export --file now.json && berth schedule --scenario now.json\n"
              "  berth scenario export --group gpu > gpu.json\n\n"
              "What the form of the file cannot say is told on stderr, a note a line.",
              [o](Shell& shell) { return export_scenario(shell, *o); });
}

}  // namespace berth::cli
