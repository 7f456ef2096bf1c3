#include "ops/cli/log_shell/word_completion.h"

#include <algorithm>

namespace berth::cli {

WordCompletion complete_word(const std::string& word, const std::vector<std::string>& found) {
  if (found.empty()) return {};
  std::string shared = found.front();
  for (const std::string& one : found) {
    const auto differs = std::mismatch(shared.begin(), shared.end(), one.begin(), one.end()).first;
    shared.erase(differs, shared.end());
  }
  WordCompletion done;
  done.added = shared.substr(std::min(word.size(), shared.size()));
  if (found.size() == 1 && !shared.ends_with("/")) done.added += " ";
  if (done.added.empty()) done.shown = found;
  return done;
}

}  // namespace berth::cli
