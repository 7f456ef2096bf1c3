#include "ops/cli/slurm/batch_script.h"

#include <algorithm>

#include "ops/cli/output/table.h"
#include "ops/cli/slurm/tools.h"

namespace berth::cli::slurm {
namespace {

constexpr std::string_view kMark = "#SBATCH";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
}

Failure at_line(const std::string& name, int number, Failure failure) {
  failure.message = name + ":" + std::to_string(number) + ": " + failure.message;
  return failure;
}

// The options of one line "#SBATCH ...".
Outcome<std::map<std::string, std::string>> options_of(const std::string& line) {
  const std::string rest = line.substr(kMark.size());
  if (!rest.empty() && !is_blank(rest[0]))
    return usage_failure("'" + printable(line.substr(0, 60)) + "': a blank stands behind #SBATCH");
  const auto words = words_of_line(rest);
  if (!words) return words.failure();
  auto given = read_options(sbatch(), *words, false);
  if (!given) return given.failure();
  if (!given->rest.empty())
    return usage_failure("'" + printable(given->rest[0].substr(0, 60)) + "' is no option of sbatch");
  for (const char* own : {"wrap", "help"})
    if (given->has(own)) return usage_failure(std::string("--") + own + " stands on the command line alone");
  return std::move(given->values);
}

Outcome<bool> check_text(const std::string& name, const std::string& text) {
  if (text.empty()) return usage_failure(name + " is empty: there is nothing to run");
  if (text.size() > kScriptMax)
    return usage_failure(name + " has " + std::to_string(text.size()) + " bytes, at most " +
                             std::to_string(kScriptMax) + " are taken",
                         "put it into a folder, and run it from there (--container-mounts)");
  if (text.find('\0') != std::string::npos) return usage_failure(name + " has a NUL byte: it is no script");
  if (!text.starts_with("#!"))
    return usage_failure(name + ":1: a batch script begins with #! and the path of an interpreter",
                         "#!/bin/sh");
  if (const auto at = text.find("\r\n"); at != std::string::npos)
    return usage_failure(
        name + ":" +
            std::to_string(1 +
                           std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
            ": the line ends as on DOS (\\r\\n)",
        "sed -i 's/\\r$//' " + name);
  return true;
}

}  // namespace

Outcome<std::vector<std::string>> words_of_line(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    if (line[at] == '#') break;
    std::string word;
    char quote = '\0';
    for (; at < line.size() && (quote != '\0' || !is_blank(line[at])); ++at) {
      if (quote == '\0' && (line[at] == '"' || line[at] == '\''))
        quote = line[at];
      else if (quote == line[at])
        quote = '\0';
      else
        word += line[at];
    }
    if (quote != '\0') return usage_failure(std::string("a ") + quote + " has no end");
    words.push_back(word);
  }
  return words;
}

Outcome<BatchScript> read_batch_script(const std::string& name, const std::string& text) {
  if (const auto checked = check_text(name, text); !checked) return checked.failure();
  BatchScript script;
  script.text = text;
  bool commands = false;
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (++number == 1) {
      const std::string words = trimmed(line.substr(2));
      const auto blank = words.find_first_of(" \t");
      script.interpreter = words.substr(0, blank);
      if (blank != std::string::npos) script.argument = trimmed(words.substr(blank));
      if (!script.interpreter.starts_with("/"))
        return usage_failure(name + ":1: no path of an interpreter stands behind #!", "#!/bin/sh");
    } else if (line.starts_with(kMark)) {
      if (commands) {
        script.ignored.push_back(number);
        continue;
      }
      auto options = options_of(line);
      if (!options) return at_line(name, number, options.failure());
      for (auto& [option, value] : *options) script.values[option] = std::move(value);
    } else if (const std::string words = trimmed(line); !words.empty() && words[0] != '#') {
      commands = true;
    }
  }
  return script;
}

BatchScript wrapped_script(const std::string& command) {
  return {.text = "#!/bin/sh\n# Made by sbatch --wrap.\n\n" + command + "\n", .interpreter = "/bin/sh"};
}

}  // namespace berth::cli::slurm
