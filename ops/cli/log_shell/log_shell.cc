#include "ops/cli/log_shell/log_shell.h"

#include <sstream>

#include "controller/api/past/moment.h"
#include "events/base/text.h"
#include "ops/cli/output/table.h"

namespace berth::cli {
namespace {

constexpr const char* kHelp =
    "ls [FOLDER]      what is there: ls sessions\n"
    "cat PATH         one of it: cat sessions/demo, cat events/17-0\n"
    "cd FOLDER        cd sessions, cd .., cd /\n"
    "cd @MOMENT       to another moment: cd @14:03, cd @1234, cd @2026-01-31T18:00:00Z, cd @now\n"
    "pwd              where and when we are\n"
    "help, exit\n"
    "On a terminal TAB completes, the arrows recall lines, Ctrl-C clears one and Ctrl-D ends.\n";

constexpr const char* kNow = "@now";
constexpr const char* kWords[] = {"ls", "cat", "cd", "pwd", "help", "exit"};

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace

std::string LogShell::place() const {
  return "/" + folder_ + " @" + controller::api::moment_text(tree_.point());
}

std::string LogShell::absolute(const std::string& path) const {
  std::string rest = path;
  std::string from = folder_;
  if (rest.starts_with("/")) from.clear();
  while (rest.starts_with("/")) rest.erase(0, 1);
  while (rest == ".." || rest.starts_with("../")) {
    from.clear();  // folders are one deep
    rest.erase(0, std::min<std::size_t>(rest.size(), 3));
  }
  while (rest.ends_with("/")) rest.pop_back();
  if (rest == ".") rest.clear();
  if (rest.empty()) return from;
  return from.empty() ? rest : from + "/" + rest;
}

Result<bool> LogShell::run(const std::string& line, std::ostream& out) {
  const auto words = words_of(line);
  if (words.empty() || words[0].starts_with("#")) return true;
  const std::string& word = words[0];
  const std::string argument = words.size() > 1 ? words[1] : "";
  if (words.size() > 2)
    return make_error("usage", "'" + clipped(word) + "' takes one word behind it", "help");
  if (word == "exit" || word == "quit") return false;
  if (word == "help") {
    out << kHelp;
  } else if (word == "pwd") {
    out << place() << "\n";
  } else if (word == "ls") {
    if (auto listed = list(argument, out); !listed) return listed.error();
  } else if (word == "cd") {
    if (auto changed = change(argument); !changed) return changed.error();
  } else if (word == "cat") {
    const auto text = tree_.read(absolute(argument));
    if (!text) return text.error();
    out << *text;
  } else {
    return make_error("usage", "'" + clipped(word) + "' is no command here", "help lists them");
  }
  return true;
}

Result<void> LogShell::list(const std::string& where, std::ostream& out) const {
  const auto names = tree_.list(absolute(where));
  if (!names) return names.error();
  for (const std::string& name : *names) out << printable(name) << "\n";
  return {};
}

Result<void> LogShell::change(const std::string& where) {
  if (where.starts_with("@")) return change_moment(where.substr(1));
  const std::string folder = where.empty() ? "" : absolute(where);
  if (!tree_.is_folder(folder))
    return make_error("no-such-file", "'" + clipped(where) + "' is no folder", "`ls /` shows them");
  folder_ = folder;
  return {};
}

Result<void> LogShell::change_moment(const std::string& text) {
  if (text == "now") return tree_.go_to(newest_.position);
  if (const auto clock = clock_moment(text, now_, utc_offset_)) return tree_.go_to_time(*clock);
  const auto moment = controller::api::parse_moment(text);
  if (!moment) return moment.error();
  return moment->position ? tree_.go_to(*moment->position) : tree_.go_to_time(moment->time);
}

std::vector<std::string> LogShell::completions(const std::string& line) const {
  const auto words = words_of(line);
  const bool fresh = line.empty() || line.back() == ' ';
  const std::string last = fresh || words.empty() ? "" : words.back();
  std::vector<std::string> found;
  if (words.size() + (fresh ? 1 : 0) <= 1) {
    for (const char* word : kWords)
      if (std::string(word).starts_with(last)) found.emplace_back(word);
    return found;
  }
  if (words[0] == "cd" && std::string(kNow).starts_with(last) && !last.empty()) return {kNow};
  const auto slash = last.rfind('/');
  const std::string before = slash == std::string::npos ? "" : last.substr(0, slash + 1);
  const std::string folder = absolute(before);
  const auto names = tree_.list(folder);
  if (!names) return found;
  for (const std::string& name : *names) {
    const std::string whole = before + (folder == "events" ? name.substr(0, name.find(' ')) : name);
    const bool can_be_typed = whole.find(' ') == std::string::npos && printable(whole) == whole;
    const bool is_meant = words[0] != "cd" || whole.ends_with("/");
    if (whole.starts_with(last) && can_be_typed && is_meant) found.push_back(whole);
  }
  return found;
}

}  // namespace berth::cli
