#include "ops/cli/session/screen_modes.h"

namespace berth::cli {
namespace {

constexpr std::size_t kSequenceMax = 64;  // a longer one sets no mode
constexpr char kEscapeKey = 0x1b;
// Application's arrow keys, the other screens, mouse reports, focus reports and bracketed paste begin as off.
constexpr unsigned kBeginOff[] = {1, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1047, 1049, 2004};
// The cursor is shown, and lines wrap.
constexpr unsigned kBeginOn[] = {7, 25};

template <std::size_t kCount> bool is_one_of(const unsigned (&modes)[kCount], unsigned mode) {
  for (const unsigned one : modes)
    if (one == mode) return true;
  return false;
}

void put_in(std::set<unsigned>& modes, unsigned mode, bool in) {
  if (in)
    modes.insert(mode);
  else
    modes.erase(mode);
}

std::string private_mode(unsigned mode, char last) { return "\x1b[?" + std::to_string(mode) + last; }

}  // namespace

void ScreenModes::see(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == kEscapeKey) {
      sequence_ = "\x1b";
      continue;
    }
    if (sequence_.empty()) continue;
    sequence_ += c;
    if (sequence_.size() == 2 && c == '[') continue;
    if (sequence_.size() == 2 || (c >= 0x40 && c <= 0x7e))
      end(c);
    else if (sequence_.size() > kSequenceMax)
      sequence_.clear();
  }
}

void ScreenModes::end(char last) {
  const std::string sequence = std::move(sequence_);
  sequence_.clear();
  if (sequence.size() == 2) {
    if (last == '=' || last == '>') keypad_ = last == '=';
    if (last == 'c') *this = ScreenModes();  // a reset of all
    return;
  }
  if (last == 'm') colored_ = sequence != "\x1b[m" && sequence != "\x1b[0m";
  if ((last != 'h' && last != 'l') || sequence[2] != '?') return;
  unsigned mode = 0;
  for (std::size_t i = 3; i < sequence.size(); ++i) {
    const char c = sequence[i];
    if (c >= '0' && c <= '9' && mode < 100'000) {
      mode = mode * 10 + static_cast<unsigned>(c - '0');
      continue;
    }
    if (is_one_of(kBeginOff, mode)) put_in(on_, mode, last == 'h');
    if (is_one_of(kBeginOn, mode)) put_in(off_, mode, last == 'l');
    mode = 0;
  }
}

std::string ScreenModes::undo() const {
  std::string bytes = colored_ ? "\x1b[0m" : "";
  if (keypad_) bytes += "\x1b>";
  for (const unsigned mode : on_) bytes += private_mode(mode, 'l');
  for (const unsigned mode : off_) bytes += private_mode(mode, 'h');
  return bytes;
}

}  // namespace berth::cli
