// berth key rotate writers: the keys of agents and producers get another secret (ADR 0097). The secret is the
// cluster.json's of each server; whose key is still of the one before is told by the API.
#include "ops/cli/command/paging.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/up.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct WritersOptions {
  bool status = false, finish = false, force = false;
};

// Who has which key now, and whether it waits for its owner to join with the token.
struct Writer {
  std::string name;  // "agent:a1"
  std::uint32_t generation = 0;
  bool disabled = false;
};

Outcome<std::vector<Writer>> all_writers(Api& api) {
  std::vector<Writer> writers;
  constexpr std::pair<const char*, const char*> kOwners[] = {{"agent:", "agents"},
                                                             {"producer:", "producers"}};
  for (const auto& [prefix, noun] : kOwners) {
    const auto rows = get_all(api, std::string("/v1/") + noun, noun);
    if (!rows) return rows.failure();
    for (const json::value& row : *rows)
      writers.push_back({prefix + text_at(row, "name"),
                         static_cast<std::uint32_t>(integer_at(row, "generation")),
                         true_at(row, "disabled")});
  }
  return writers;
}

// A producer that is switched off holds nobody up: its key is good for nothing.
json::array missing_of(const std::vector<Writer>& writers, const WriterGenerations& before) {
  json::array missing;
  for (const Writer& writer : writers) {
    const auto known = before.find(writer.name);
    if (writer.disabled || known == before.end() || writer.generation > known->second) continue;
    missing.push_back(json::object{{"writer", writer.name}, {"generation", writer.generation}});
  }
  return missing;
}

void print_missing(Shell& shell, const json::array& missing) {
  Listing listing;
  listing.columns = {column("STILL OF THE SECRET BEFORE", "writer"), column("GENERATION", "generation")};
  listing.name_path = "writer";
  shell.out() << print_list(missing, listing, shell.style());
}

void tell_next(Shell& shell, const std::string& file, bool someone) {
  shell.note(
      "1. copy " + file +
      " to every other controller (--cluster-file, or its data folder): each reads it within a second");
  shell.note(
      "2. each agent joins anew: berth agent token NAME, berth-agent --join there; a `berth up` does so when "
      "it is started again");
  shell.note("3. each producer: berth producer rotate NAME, then berth producer join");
  if (!someone)
    shell.note("all have keys of the new secret: berth key rotate writers --finish, and copy the file again");
}

Outcome<int> rotate(Shell& shell, const WritersOptions& o) {
  if (o.force && !o.finish) return usage_failure("--force goes with --finish", "");
  const auto setting = shell.settings().get("data.dir");
  const std::string file = (setting ? setting->value : UpOptions().data) + "/cluster.json";
  const auto before = shell.world().writers_of_before(file);
  if (!before) {
    Failure failure = failure_of(before.error());
    if (failure.code == "cluster-file-missing") failure.hint = "--data names the data folder of a controller";
    return failure;
  }
  const auto connected = shell.api();
  if (!connected) return connected.failure();
  const auto writers = all_writers(**connected);
  if (!writers) return writers.failure();

  if (!*before) {
    if (o.status || o.finish)
      return Failure{kConflict,
                     "no-writers-rotation",
                     file + " has no older secret of writers' keys",
                     "berth key rotate writers begins",
                     {}};
    WriterGenerations given_out;
    for (const Writer& writer : *writers) given_out[writer.name] = writer.generation;
    if (const auto begun = shell.world().begin_writers(file, given_out); !begun)
      return failure_of(begun.error());
    const json::array missing = missing_of(*writers, given_out);
    print_missing(shell, missing);
    tell_next(shell, file, !missing.empty());
    return kOk;
  }
  const json::array missing = missing_of(*writers, **before);
  if (!o.finish) {
    print_missing(shell, missing);
    if (!o.status) tell_next(shell, file, !missing.empty());
    return kOk;
  }
  if (!missing.empty() && !o.force) {
    print_missing(shell, missing);
    return Failure{
        kConflict,
        "writers-missing",
        std::to_string(missing.size()) + " writers have keys of the secret before, and would be shut out",
        "they join anew first, or --force shuts them out",
        {}};
  }
  if (const auto done = shell.world().finish_writers(file); !done) return failure_of(done.error());
  shell.note("what keys of the secret before sign is refused and counted from here on");
  shell.note("copy " + file + " to every other controller: each goes on with the older one until it has it");
  return kOk;
}

}  // namespace

void add_rotate_writers(Registry& registry, CLI::App* rotation) {
  auto o = std::make_shared<WritersOptions>();
  auto* app = registry.verb(
      rotation, "writers",
      "Agents and producers get keys of a new secret; the old ones are good until all have them");
  auto* status = app->add_flag("--status", o->status, "Only show who has not joined anew");
  app->add_flag("--finish", o->finish,
                "Give the secret before up: refused while somebody has not joined anew")
      ->excludes(status);
  app->add_flag("--force", o->force, "With --finish: shut out who has not");
  registry.on(app,
              "  berth key rotate writers --data /var/lib/berth\n  berth key rotate writers --status\n  "
              "berth key rotate writers --finish",
              [o](Shell& shell) { return rotate(shell, *o); });
}

}  // namespace berth::cli
