#include "ops/cli/slurm/slurm_command.h"

#include "ops/cli/slurm/tool_runs.h"

namespace berth::cli {
namespace slurm {
namespace {

struct ToolEntry {
  const Tool& (*tool)();
  Outcome<int> (*run)(Shell& shell, const Given& given);
  std::string (*more)();  // of its help; nullptr: nothing
  const char* examples;
};

constexpr ToolEntry kTools[] = {
    {squeue, run_squeue, squeue_letters, "  squeue --me\n  squeue -t PD -o \"%i %j %r\""},
    {sinfo, run_sinfo, sinfo_letters, "  sinfo\n  sinfo -N -o \"%N %t %C\""},
    {sbatch, run_sbatch, nullptr,
     "  sbatch --container-image=python:3.11 --mem=512 job.sh\n  sbatch --wrap \"python3 -V\" --mem=256"},
    {scancel, run_scancel, nullptr, "  scancel 274319874511922\n  scancel --me --state=PENDING"},
    {sacct, run_sacct, sacct_fields,
     "  sacct -S now-2days\n  sacct -j 274319874511922 -P -o JobID,State,ExitCode"},
};

std::string help_of(const ToolEntry& entry) {
  const Tool& tool = entry.tool();
  std::string text = std::string("Usage: ") + tool.name + " [OPTIONS]" + (*tool.words == '\0' ? "" : " ") +
                     tool.words + "\n\n" + tool.about + "\n\n" + options_text(tool);
  if (entry.more != nullptr) text += entry.more();
  return text + "\nExamples:\n" + entry.examples + "\n";
}

Outcome<int> run_tool(Shell& shell, const ToolEntry& entry, const std::vector<std::string>& words) {
  const Tool& tool = entry.tool();
  const auto given = read_options(tool, words, std::string("sbatch") == tool.name);
  if (!given) return given.failure();
  if (given->has("help")) {
    shell.out() << help_of(entry);
    return kOk;
  }
  if (!given->rest.empty() && *tool.words == '\0')
    return usage_failure(std::string(tool.name) + " takes no word '" + given->rest[0].substr(0, 60) + "'",
                         std::string("`berth slurm ") + tool.name + " --help` lists what it takes");
  return entry.run(shell, *given);
}

}  // namespace

bool take_words(std::vector<std::string>& words, std::vector<std::string>& taken) {
  for (std::size_t at = 0; at + 1 < words.size() && words[at] != "--"; ++at) {
    if (words[at] != "slurm" || find_tool(words[at + 1]) == nullptr) continue;
    taken.assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 2, words.end());
    words.resize(at + 2);
    return true;
  }
  return false;
}

std::vector<std::string> as_called(const std::string& program, std::vector<std::string> words) {
  const Tool* tool = find_tool(program);
  if (tool != nullptr) words.insert(words.begin(), {"slurm", tool->name});
  return words;
}

}  // namespace slurm

void add_slurm_commands(Registry& registry) {
  auto* noun = registry.noun("slurm", "Slurm's squeue, sinfo, sbatch, scancel and sacct, over Berth");
  for (const auto& entry : slurm::kTools) {
    const slurm::Tool& tool = entry.tool();
    auto* verb = registry.verb(noun, tool.name, tool.about);
    registry.on(
        verb, entry.examples,
        [&registry, &entry](Shell& shell) { return slurm::run_tool(shell, entry, registry.tail); }, true);
    verb->footer(slurm::help_of(entry));
  }
}

}  // namespace berth::cli
