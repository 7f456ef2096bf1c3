// berth agent check: what this machine has of what an agent's containers need. Asks no server.
#include <algorithm>
#include <memory>

#include "ops/cli/command/registry.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kStatusWidth = 9, kNameWidth = 20;

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

std::string text_of_check(const json::value& line, bool color) {
  const std::string status = text_at(line, "status"), advice = text_at(line, "advice");
  std::string text = tinted(status, color) +
                     std::string(kStatusWidth - std::min(kStatusWidth, status.size()), ' ') +
                     padded(text_at(line, "check"), kNameWidth) + printable(text_at(line, "found")) + "\n";
  if (!advice.empty()) text += std::string(kStatusWidth + kNameWidth, ' ') + printable(advice) + "\n";
  return text;
}

Listing check_listing() {
  Listing listing;
  listing.columns = {column("CHECK", "check"), column("STATUS", "status"), column("FOUND", "found"),
                     column("ADVICE", "advice")};
  listing.name_path = "check";
  return listing;
}

}  // namespace

void add_agent_check(Registry& registry, CLI::App* noun) {
  auto* app =
      registry.verb(noun, "check",
                    "Check whether containers can start on this machine: what it has, and what to do; "
                    "starts one. Needs root and no server");
  auto runtime = std::make_shared<std::string>();
  app->add_option("--runtime", *runtime,
                  "The container runtime: runc or crun, or its path (default runc, else crun)")
      ->type_name("PROGRAM");
  registry.on(
      app,
      "  berth agent check\n  berth agent check --data /srv/berth -o json\n  berth agent check --runtime "
      "crun",
      [runtime](Shell& shell) -> Outcome<int> {
        const auto lines = shell.world().check_machine(shell.settings().get("data.dir")->value, *runtime);
        const bool fails = std::ranges::any_of(
            lines, [](const json::value& line) { return text_at(line, "status") == "FAILS"; });
        if (shell.style().format != Format::kTable) {
          shell.out() << print_list(lines, check_listing(), shell.style());
          return fails ? 1 : kOk;
        }
        for (const json::value& line : lines) shell.out() << text_of_check(line, shell.style().color);
        shell.out()
            << (fails ? "Containers cannot start here: mend the lines that say FAILS, and check again.\n"
                      : "Containers can start here.\n");
        return fails ? 1 : kOk;
      });
}

}  // namespace berth::cli
