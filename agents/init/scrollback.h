// The newest output of a shell or an app: at most kLinesMax lines and so many bytes. Its memory grows with
// what is in it. A place in the output is named by the number of bytes printed before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace berth::init {

class Scrollback {
 public:
  static constexpr std::size_t kLinesMax = 10'000;
  static constexpr std::size_t kBytesMax = 1 << 20;

  explicit Scrollback(std::size_t bytes_max = kBytesMax) : bytes_max_(bytes_max) {}
  void append(std::string_view bytes);
  std::uint64_t begin() const { return begin_; }  // all before is lost
  std::uint64_t end() const { return end_; }
  // Some of the bytes from this place on; empty at the end. Valid until append().
  // REQUIRES: begin() <= place <= end().
  std::string_view from(std::uint64_t place) const;

 private:
  void drop_line();

  std::size_t bytes_max_;
  std::deque<std::string> chunks_;  // all but the last are full
  std::uint64_t first_ = 0;         // the place where the chunks begin
  std::uint64_t begin_ = 0, end_ = 0;
  std::size_t lines_ = 0;  // newlines from begin_ on
};

}  // namespace berth::init
