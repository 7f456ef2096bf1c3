// TerminalText: bytes that a program wrote, as a terminal may get them: what would steer it is shown, not
// run.
#pragma once

#include <string>
#include <string_view>

namespace berth::cli {

// Text, line ends, carriage returns and tabs pass; other control characters, direction marks and bytes that
// are no UTF-8 come out as "^[", "<U+202E>" and "\x9b". Pages of one stream in a row: a character may be cut
// between two.
class TerminalText {
 public:
  std::string shown(std::string_view bytes);

 private:
  std::string cut_;  // the first bytes of a character whose rest is in the next page
};

}  // namespace berth::cli
