// Notes: what was left out while files were copied, a line each, for people. At most kNotesMax lines; what
// is beyond them is counted. Standard library only.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "events/copy/entry_name.h"

namespace berth::copy {

class Notes {
 public:
  static constexpr std::size_t kNotesMax = 100;

  // `tell` gets each line, without a line end.
  explicit Notes(std::function<void(const std::string& line)> tell) : tell_(std::move(tell)) {}

  void add(std::string_view name, const std::string& what) {
    if (++count_ <= kNotesMax) tell_(shown(name) + ": " + what);
  }
  // After the last.
  void finish() const {
    if (count_ > kNotesMax) tell_("and " + std::to_string(count_ - kNotesMax) + " more");
  }
  std::size_t count() const { return count_; }

 private:
  std::function<void(const std::string& line)> tell_;
  std::size_t count_ = 0;
};

}  // namespace berth::copy
