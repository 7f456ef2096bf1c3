#include "agents/init/scrollback.h"

#include <algorithm>

namespace berth::init {
namespace {

constexpr std::size_t kChunk = 16 << 10;   // bytes
constexpr std::size_t kLineCut = 4 << 10;  // bytes dropped at once of a line longer than that
constexpr std::size_t kCharacterMax = 4;   // bytes of a character in UTF-8

bool is_inside_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace

void Scrollback::append(std::string_view bytes) {
  lines_ += static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  end_ += bytes.size();
  while (!bytes.empty()) {
    if (chunks_.empty() || chunks_.back().size() == kChunk) {
      chunks_.emplace_back();
      if (chunks_.size() > 1) chunks_.back().reserve(kChunk);  // a quiet shell's one stays small
    }
    const std::size_t fits = std::min(bytes.size(), kChunk - chunks_.back().size());
    chunks_.back() += bytes.substr(0, fits);
    bytes.remove_prefix(fits);
  }
  while (end_ - begin_ > bytes_max_ || lines_ > kLinesMax) drop_line();
}

std::string_view Scrollback::from(std::uint64_t place) const {
  const std::uint64_t at = place - first_;
  if (at / kChunk >= chunks_.size()) return {};
  return std::string_view(chunks_[at / kChunk]).substr(at % kChunk);
}

// The oldest line; of one that is very long its first part, up to a character's end.
void Scrollback::drop_line() {
  for (std::size_t dropped = 0;; ++dropped, ++begin_) {
    const std::string_view rest = from(begin_);
    if (rest.empty()) break;
    if (dropped >= kLineCut && (!is_inside_character(rest[0]) || dropped >= kLineCut + kCharacterMax)) break;
    if (rest[0] != '\n') continue;
    --lines_;
    ++begin_;
    break;
  }
  for (; begin_ - first_ >= kChunk; first_ += kChunk) chunks_.pop_front();
}

}  // namespace berth::init
