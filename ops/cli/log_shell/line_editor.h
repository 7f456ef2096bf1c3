// LineEditor: lines as they are typed on a terminal, with keys that edit them, a history and completion by
// TAB (libedit, ADR 0100). While a line is typed the terminal has modes of its own, and gets them back before
// the line is run, and where a signal ends the program.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::cli {

class LineEditor {
 public:
  static constexpr std::size_t kLinesKept = 1'000;
  static constexpr std::size_t kChoicesShown = 100;
  // What the last word of the line, of what stands before the cursor, may become.
  using Completions = std::function<std::vector<std::string>(const std::string& line)>;

  // REQUIRES: standard input and output are a terminal.
  explicit LineEditor(Completions completions);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Without its line end; nullopt: Ctrl-D, or the terminal went away. Ctrl-C empties the line.
  std::optional<std::string> read(const std::string& prompt);
  // A line for the arrows to find, newer than those before it.
  void remember(const std::string& line);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace berth::cli
