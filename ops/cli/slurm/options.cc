#include "ops/cli/slurm/options.h"

#include <algorithm>

#include "ops/cli/app.h"

namespace berth::cli::slurm {
namespace {

std::string spelled(char letter, const char* name) {
  return letter == '\0' ? std::string("--") + name : std::string("-") + letter + ", --" + name;
}

std::string where_told(const Tool& tool) {
  return std::string("`berth slurm ") + tool.name + " --help` lists what it takes";
}

// The options of one command line, word by word.
class Reader {
 public:
  Reader(const Tool& tool, const std::vector<std::string>& words) : tool_(tool), words_(words) {}

  Outcome<Given> read(bool rest_follows) {
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (word == "--") {
        take_rest();
      } else if (word.size() < 2 || word[0] != '-') {
        given_.rest.push_back(word);
        if (rest_follows) take_rest();
      } else if (const auto read = word[1] == '-' ? read_name(word.substr(2)) : read_letters(word); !read) {
        return read.failure();
      }
    }
    return std::move(given_);
  }

 private:
  void take_rest() {
    given_.rest.insert(given_.rest.end(), words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
    at_ = words_.size();
  }

  Failure refused(const Refusal& refusal) const {
    return usage_failure(std::string(tool_.name) + " does not take " + spelled(refusal.letter, refusal.name) +
                             ": " + refusal.why,
                         where_told(tool_));
  }

  Failure unknown(const std::string& option) const {
    std::vector<std::string> names;
    for (const auto& known : tool_.options) names.push_back(known.name);
    const std::string near = option.starts_with("--") ? closest(option.substr(2), names) : std::string();
    return usage_failure(std::string(tool_.name) + " has no option '" + option.substr(0, 60) + "'" +
                             (near.empty() ? "" : "; did you mean --" + near + "?"),
                         where_told(tool_));
  }

  Failure lacks_value(const Option& option) const {
    return usage_failure(
        std::string(tool_.name) + ": " + spelled(option.letter, option.name) + " needs " + option.metavar,
        where_told(tool_));
  }

  Outcome<bool> read_name(const std::string& text) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    for (const auto& refusal : tool_.refusals)
      if (name == refusal.name) return refused(refusal);
    for (const auto& option : tool_.options) {
      if (name != option.name) continue;
      if (option.metavar == nullptr) {
        if (equals != std::string::npos)
          return usage_failure(std::string(tool_.name) + ": --" + name + " takes no value",
                               where_told(tool_));
        given_.values[name];
        return true;
      }
      if (equals == std::string::npos && at_ == words_.size()) return lacks_value(option);
      given_.values[name] = equals == std::string::npos ? words_[at_++] : text.substr(equals + 1);
      return true;
    }
    return unknown("--" + name);
  }

  // "-hl", "-ualice": flags, and at their end one with a value.
  Outcome<bool> read_letters(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      for (const auto& refusal : tool_.refusals)
        if (word[i] == refusal.letter) return refused(refusal);
      const auto option = std::ranges::find(tool_.options, word[i], &Option::letter);
      if (option == tool_.options.end()) return unknown(std::string("-") + word[i]);
      if (option->metavar == nullptr) {
        given_.values[option->name];
        continue;
      }
      const bool is_own = i + 1 < word.size();
      if (!is_own && at_ == words_.size()) return lacks_value(*option);
      given_.values[option->name] = is_own ? word.substr(i + 1) : words_[at_++];
      return true;
    }
    return true;
  }

  const Tool& tool_;
  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  Given given_;
};

void add_line(std::string& text, const std::string& option, const std::string& about) {
  constexpr std::size_t kColumn = 34;
  const std::string begin = "  " + option;
  text += begin + std::string(begin.size() + 2 > kColumn ? 2 : kColumn - begin.size(), ' ') + about + "\n";
}

}  // namespace

std::vector<std::string> parts_of(const std::string& list, char between) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(between, at), list.size());
    if (end > at) parts.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::vector<std::string> Given::list(const std::string& name) const { return parts_of(value(name)); }

Outcome<Given> read_options(const Tool& tool, const std::vector<std::string>& words, bool rest_follows) {
  return Reader(tool, words).read(rest_follows);
}

std::string options_text(const Tool& tool) {
  std::string text = "Options:\n";
  for (const auto& option : tool.options)
    add_line(text,
             spelled(option.letter, option.name) +
                 (option.metavar == nullptr ? std::string() : std::string("=") + option.metavar),
             option.about);
  if (tool.refusals.empty()) return text;
  text += "Not taken:\n";
  for (const auto& refusal : tool.refusals)
    add_line(text, spelled(refusal.letter, refusal.name), refusal.why);
  return text;
}

}  // namespace berth::cli::slurm
