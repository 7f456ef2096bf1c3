// Lines of fields of a width, as squeue, sinfo and sacct print them. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ops/cli/exit_code.h"

namespace berth::cli::slurm {

struct Field {
  std::string title = {};
  int width = 0;            // texts are cut to it; 0: as long as they are
  bool right = false;       // else left
  bool fits = false;        // as wide as the longest text of the column
  std::string before = {};  // literal text of the format in front of it
  char letter = '\0';       // of a --format
  std::function<std::string(std::size_t row)> text = {};
};

// "%.18i %.9P": for each letter, its field from `field_of`, whose `text` is empty where there is no such
// letter;
// "#" fits. Failures: usage, of a letter that `tool` has not, and of a format that is none.
Outcome<std::vector<Field>> parse_format_of(const char* tool, const std::string& format,
                                            const std::function<Field(char letter)>& field_of);

// Titles (unless `titles` is false) and a line a row, padded; blanks at their ends stay, as Slurm has it.
std::string field_lines(std::vector<Field> fields, std::size_t rows, bool titles);
// `text` in the field's width, without what steers a terminal.
std::string in_width(const std::string& text, int width, bool right);

}  // namespace berth::cli::slurm
