// What a TAB does to the word before it.
#pragma once

#include <string>
#include <vector>

namespace berth::cli {

struct WordCompletion {
  std::string added;               // behind the word
  std::vector<std::string> shown;  // what it may be, where nothing could be added
};

// `found`: what the word may become, each of which begins with it. What they share is added; behind the only
// one a space, unless it is a folder ("sessions/"), whose name goes on.
WordCompletion complete_word(const std::string& word, const std::vector<std::string>& found);

}  // namespace berth::cli
