// KeptLines: what was typed in shells before, in a file of this user alone, for the next ones.
#pragma once

#include <string>
#include <vector>

namespace berth::cli {

// Beside the configuration file.
std::string kept_lines_path(const std::string& config_path);

// The lines of such a file, oldest first. Empty ones, and those longer than a line is, are left out.
std::vector<std::string> parse_kept_lines(const std::string& text);
// The file with one line more: the newest of each, LineEditor::kLinesKept at most.
std::string with_line(const std::string& text, const std::string& line);

}  // namespace berth::cli
