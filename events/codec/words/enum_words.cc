#include "events/codec/words/enum_words.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>

namespace berth {

std::vector<std::string> words_of(const google::protobuf::EnumDescriptor& type) {
  constexpr std::string_view kNone = "UNSPECIFIED";
  const std::string& none = type.value(0)->name();
  const std::string prefix = none.substr(0, none.size() - std::min(none.size(), kNone.size()));
  std::vector<std::string> words{""};
  for (int i = 1; i < type.value_count(); ++i) {
    const std::string& name = type.value(i)->name();
    if (!name.starts_with(prefix)) return {};
    std::string& word = words.emplace_back(name.substr(prefix.size()));
    for (char& c : word) c = c == '_' ? '-' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return words;
}

}  // namespace berth
