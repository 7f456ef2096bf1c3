#include "ops/cli/apps/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <sstream>

namespace berth::cli {
namespace {

std::vector<std::string> words_of(const std::string& command, const std::string& url) {
  std::vector<std::string> words;
  std::istringstream text(command);
  bool has_place = false;
  for (std::string word; text >> word;) {
    for (auto at = word.find("%s"); at != std::string::npos; at = word.find("%s", at + url.size())) {
      word.replace(at, 2, url);
      has_place = true;
    }
    words.push_back(word);
  }
  if (!words.empty() && !has_place) words.push_back(url);
  return words;
}

// It outlives this process, and its words are nothing for this terminal.
bool start_alone(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, arguments.front(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed == 0;
}

}  // namespace

std::vector<std::vector<std::string>> browser_commands(const FindVariable& variable, const std::string& url) {
  std::vector<std::vector<std::string>> commands;
  std::istringstream named(variable("BROWSER").value_or(""));
  for (std::string command; std::getline(named, command, ':');)
    if (auto words = words_of(command, url); !words.empty()) commands.push_back(std::move(words));
  const auto is_set = [&variable](const char* name) { return !variable(name).value_or("").empty(); };
  if (commands.empty() && (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")))
    commands.push_back({"xdg-open", url});
  return commands;
}

bool open_browser(const FindVariable& variable, const std::string& url) {
  for (const auto& command : browser_commands(variable, url))
    if (start_alone(command)) return true;
  return false;
}

}  // namespace berth::cli
