#include "ops/cli/log_shell/line_editor.h"

#include <histedit.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>

#include "ops/cli/log_shell/word_completion.h"
#include "ops/cli/output/table.h"

namespace berth::cli {

// What libedit hands back to its callbacks: it stays where it is.
struct LineEditor::Inside {
  Completions completions;
  std::string prompt;
  ::EditLine* line = nullptr;
  ::History* history = nullptr;
  ::HistEvent event{};
};

namespace {

void* inside_of(EditLine* line) {
  void* inside = nullptr;
  el_get(line, EL_CLIENTDATA, &inside);
  return inside;
}

// One a line, below what is typed; the editor draws that again.
void show_choices(const std::vector<std::string>& choices) {
  std::fputs("\n", stdout);
  const std::size_t count = std::min(choices.size(), LineEditor::kChoicesShown);
  for (std::size_t i = 0; i < count; ++i) std::fprintf(stdout, "%s\n", printable(choices[i]).c_str());
  if (count < choices.size()) std::fprintf(stdout, "and %zu more\n", choices.size() - count);
}

std::string last_word(const std::string& text) {
  const auto space = text.find_last_of(" \t");
  return space == std::string::npos ? text : text.substr(space + 1);
}

unsigned char complete_line(EditLine* line, const LineEditor::Completions& completions) {
  const LineInfo* info = el_line(line);
  const std::string before(info->buffer, info->cursor);
  const WordCompletion done = complete_word(last_word(before), completions(before));
  if (!done.added.empty()) return el_insertstr(line, done.added.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  if (done.shown.empty()) return CC_ERROR;
  show_choices(done.shown);
  return CC_REDISPLAY;
}

}  // namespace

LineEditor::LineEditor(Completions completions) : inside_(std::make_unique<Inside>()) {
  std::setlocale(LC_CTYPE, "");  // of the terminal: names may be of any script
  inside_->completions = std::move(completions);
  inside_->history = history_init();
  history(inside_->history, &inside_->event, H_SETSIZE, static_cast<int>(kLinesKept));
  history(inside_->history, &inside_->event, H_SETUNIQUE, 1);
  EditLine* line = inside_->line = el_init("berth", stdin, stdout, stderr);
  el_set(line, EL_CLIENTDATA, inside_.get());
  el_set(
      line, EL_PROMPT, +[](EditLine* of) { return static_cast<Inside*>(inside_of(of))->prompt.data(); });
  el_set(line, EL_HIST, history, inside_->history);
  el_set(line, EL_SIGNAL, 1);  // whichever ends or stops the program, the terminal has its modes back
  el_set(line, EL_EDITOR, "emacs");
  el_source(line, nullptr);  // the user's .editrc
  el_set(
      line, EL_ADDFN, "berth-complete", "completes the word",
      +[](EditLine* of, int) { return complete_line(of, static_cast<Inside*>(inside_of(of))->completions); });
  el_set(line, EL_BIND, "^I", "berth-complete", nullptr);
  el_set(line, EL_SETTY, "-d", "-isig", nullptr);  // Ctrl-C is a key while a line is typed
  el_set(line, EL_BIND, "^C", "em-kill-line", nullptr);
  el_set(
      line, EL_ADDFN, "berth-stop", "stops the program", +[](EditLine*, int) -> unsigned char {
        std::raise(SIGTSTP);
        return CC_REDISPLAY;
      });
  el_set(line, EL_BIND, "^Z", "berth-stop", nullptr);
}

LineEditor::~LineEditor() {
  el_end(inside_->line);
  history_end(inside_->history);
}

std::optional<std::string> LineEditor::read(const std::string& prompt) {
  inside_->prompt = prompt;
  // By itself it prints the prompt first: a Ctrl-C that comes at once would end the program.
  el_set(inside_->line, EL_PREP_TERM, 1);
  int length = 0;
  const char* typed = el_gets(inside_->line, &length);
  if (typed == nullptr || length <= 0) return std::nullopt;
  std::string text(typed, static_cast<std::size_t>(length));
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

void LineEditor::remember(const std::string& line) {
  history(inside_->history, &inside_->event, H_ENTER, line.c_str());
}

}  // namespace berth::cli
