// berth schedule --scenario FILE: what the scheduler would decide on a situation given as data; no server, no
// log, no clock.
#include "controller/policy_host/policy_folder.h"
#include "controller/scenario/scenario.h"
#include "ops/cli/command/registry.h"

namespace berth::cli {

void add_schedule_command(Registry& registry) {
  struct Schedule {
    std::string file;
    int passes = 1;
    std::string policies;
  };
  auto o = std::make_shared<Schedule>();
  auto* app = registry.verb(nullptr, "schedule",
                            "Run the scheduler over a situation given as a file, without any server");
  app->add_option("--scenario", o->file, "The situation, as JSON; - reads standard input")
      ->required()
      ->type_name("FILE");
  app->add_option("--passes", o->passes, "So many passes, one after the other")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000))
      ->type_name("N");
  app->add_option("--policies", o->policies,
                  "Folder of the shared libraries that groups of select custom name")
      ->type_name("DIR");
  const char* examples =
      "  berth schedule --scenario case.json -o json\n"
      "  berth schedule --scenario case.json --passes 3";
  registry.on(app, examples, [o](Shell& shell) -> Outcome<int> {
    const auto text = shell.world().read_file(o->file);
    if (!text) return usage_failure("cannot read '" + o->file + "'");
    const bool json = shell.style().format == Format::kJson;
    if (!json && shell.style().format != Format::kTable && shell.style().format != Format::kWide)
      return usage_failure("a schedule is printed as -o json or -o table");
    if (const auto folder = shell.settings().get("scheduler.policies"); folder && o->policies.empty())
      o->policies = folder->value;
    controller::policy::PolicyFolder policies(o->policies, controller::policy::policy_host_beside_self(),
                                              [&shell](const std::string& line) { shell.note(line); });
    const auto lines = json ? placement::run_scenario(*text, o->passes, &policies)
                            : placement::run_scenario_table(*text, o->passes, &policies);
    if (!lines.ok()) return failure_of(lines.error(), kUsage);
    shell.out() << *lines;
    return kOk;
  });
}

}  // namespace berth::cli
