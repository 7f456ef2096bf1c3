// Slurm's commands, typed: what each option prints, in the transcripts beside this file.
// BERTH_WRITE_TRANSCRIPTS=1 writes them anew from their commands; read the difference then.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "ops/cli/slurm/batch_script.h"
#include "ops/cli/slurm/tools.h"
#include "tests/unit/slurm/fake_cell.h"

namespace berth::cli::slurm {
namespace {

const Tool* const kAll[] = {&squeue(), &sinfo(), &sbatch(), &scancel(), &sacct()};

std::string path_of(const Tool& tool) {
  return std::string("tests/unit/slurm/transcripts/") + tool.name + ".txt";
}

void write_anew(const Tool& tool) {
  const auto entries = read_transcript(path_of(tool));
  std::ofstream file(path_of(tool));
  for (const auto& entry : entries) file << "$ " << entry.command << "\n" << transcript_of(entry.command);
}

TEST(Transcripts, PrintWhatTheySay) {
  for (const Tool* tool : kAll) {
    if (std::getenv("BERTH_WRITE_TRANSCRIPTS") != nullptr) write_anew(*tool);
    const auto entries = read_transcript(path_of(*tool));
    EXPECT_GT(entries.size(), 10u) << tool->name;
    for (const auto& entry : entries) EXPECT_EQ(transcript_of(entry.command), entry.output) << entry.command;
  }
}

// Given by its letter or by its name, in a word of the command.
bool uses(const std::string& command, const Option& option) {
  const auto words = words_of_line(command);
  return std::any_of(words->begin() + 1, words->end(), [&](const std::string& word) {
    const std::string name = std::string("--") + option.name;
    return word == name || word.starts_with(name + "=") ||
           (option.letter != '\0' && word.starts_with(std::string("-") + option.letter));
  });
}

TEST(Transcripts, HaveEveryOptionThatIsTaken) {
  for (const Tool* tool : kAll) {
    const auto entries = read_transcript(path_of(*tool));
    for (const auto& option : tool->options) {
      if (option.name == std::string("help")) continue;
      EXPECT_TRUE(
          std::ranges::any_of(entries, [&](const auto& entry) { return uses(entry.command, option); }))
          << tool->name << " --" << option.name;
    }
  }
}

TEST(Options, ThatAreNotTakenAreRefusedByName) {
  for (const Tool* tool : kAll)
    for (const auto& refusal : tool->refusals) {
      const std::string said = transcript_of(std::string(tool->name) + " --" + refusal.name + "=1");
      EXPECT_NE(said.find(std::string("--") + refusal.name + ": " + refusal.why), std::string::npos) << said;
      EXPECT_NE(said.find("exit 2"), std::string::npos) << said;
      EXPECT_EQ(said.find("> "), std::string::npos) << said;
      if (refusal.letter == '\0') continue;
      const std::string by_letter = transcript_of(std::string(tool->name) + " -" + refusal.letter + " 1");
      EXPECT_NE(by_letter.find(refusal.why), std::string::npos) << by_letter;
    }
}

TEST(Options, NoneIsTakenAndRefusedNorTwice) {
  for (const Tool* tool : kAll) {
    std::multiset<std::string> names;
    std::multiset<char> letters;
    const auto add = [&](const auto& option) {
      names.insert(option.name);
      if (option.letter != '\0') letters.insert(option.letter);
    };
    for (const auto& option : tool->options) add(option);
    for (const auto& refusal : tool->refusals) add(refusal);
    for (const auto& name : names) EXPECT_EQ(names.count(name), 1u) << tool->name << " --" << name;
    for (const char letter : letters) EXPECT_EQ(letters.count(letter), 1u) << tool->name << " -" << letter;
  }
}

TEST(Readme, HasTheTablesOfAllOptions) {
  std::ostringstream readme;
  readme << std::ifstream("ops/cli/slurm/README.md").rdbuf();
  for (const Tool* tool : kAll)
    EXPECT_NE(readme.str().find(options_text(*tool)), std::string::npos)
        << "ops/cli/slurm/README.md lacks this table of " << tool->name << ":\n"
        << options_text(*tool);
}

}  // namespace
}  // namespace berth::cli::slurm
