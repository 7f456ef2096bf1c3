#include "ops/cli/log_shell/kept_lines.h"

#include <algorithm>
#include <sstream>

#include "ops/cli/log_shell/line_editor.h"

namespace berth::cli {

namespace {
constexpr std::size_t kKeptLineMax = 4'096;
}

std::string kept_lines_path(const std::string& config_path) {
  return config_path.substr(0, config_path.rfind('/') + 1) + "log-shell-history";
}

std::vector<std::string> parse_kept_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line.size() <= kKeptLineMax) lines.push_back(line);
  return lines;
}

std::string with_line(const std::string& text, const std::string& line) {
  auto lines = parse_kept_lines(text);
  std::erase(lines, line);
  lines.push_back(line);
  const std::size_t from = lines.size() - std::min(lines.size(), LineEditor::kLinesKept);
  std::string kept;
  for (std::size_t i = from; i < lines.size(); ++i) kept += lines[i] + "\n";
  return kept;
}

}  // namespace berth::cli
