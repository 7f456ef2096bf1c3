// The words of resource groups' policies: for completion, and for who gave one that does not exist. The
// server judges; a newer one may know more.
#pragma once

#include <string>
#include <vector>

namespace berth::cli {

struct PolicyWords {
  const char* option;  // of `berth group set`
  std::vector<const char*> words;
};
const std::vector<PolicyWords>& policy_words();

struct GivenPolicy {
  const char* option;
  std::string text;  // empty: not given
};
// What there is, and what was probably meant, of the first one given that is no word of its option; "" if all
// are.
std::string policy_hint(const std::string& group, const std::vector<GivenPolicy>& given);

}  // namespace berth::cli
