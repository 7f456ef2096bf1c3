#include "ops/cli/command/policy_words.h"

#include <algorithm>

#include "ops/cli/app.h"

namespace berth::cli {
namespace {

// "skip-after-n" of "skip-after-n=5"
std::string word_of(const std::string& text) { return text.substr(0, text.find('=')); }

bool has(const PolicyWords& policy, const std::string& text) {
  const auto same = [&](const char* word) { return word_of(word) == word_of(text); };
  return std::any_of(policy.words.begin(), policy.words.end(), same);
}

std::string hint_of(const std::string& group, const PolicyWords& policy, const std::string& text) {
  std::string hint = std::string(policy.option) + " is";
  for (std::size_t i = 0; i < policy.words.size(); ++i)
    hint += (i == 0                        ? " "
             : i + 1 < policy.words.size() ? ", "
                                           : " or ") +
            std::string(policy.words[i]) + (std::string(policy.words[i]).ends_with("=") ? "N" : "");
  for (const auto& other : policy_words())
    if (has(other, text))
      return hint + "; " + word_of(text) + " is of " + other.option + ": berth group set " + group + " " +
             other.option + " " + text;
  const std::string meant = closest(word_of(text), {policy.words.begin(), policy.words.end()});
  return meant.empty() ? hint : hint + "; did you mean " + meant + "?";
}

}  // namespace

const std::vector<PolicyWords>& policy_words() {
  static const std::vector<PolicyWords> all = {
      {"--order", {"fifo", "lifo", "drf", "fair-share", "backfill"}},
      {"--head-of-line", {"strict", "skip-after-n=", "greedy"}},
      {"--select", {"concentrated", "dispersed", "round-robin", "fgd", "balanced", "custom"}}};
  return all;
}

std::string policy_hint(const std::string& group, const std::vector<GivenPolicy>& given) {
  for (const auto& policy : policy_words())
    for (const auto& [option, text] : given)
      if (!text.empty() && std::string(option) == policy.option && !has(policy, text))
        return hint_of(group, policy, text);
  return {};
}

}  // namespace berth::cli
