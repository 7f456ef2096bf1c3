// Escapes: what is typed on a raw terminal, without the words that are for `berth` itself. Pure.
#pragma once

#include <string>
#include <string_view>

namespace berth::cli {

inline constexpr char kEscape = 0x1d;  // Ctrl-]
inline constexpr const char* kEscapeHelp =
    "Ctrl-] .       detaches; a shell goes on\nCtrl-] Ctrl-]  sends one Ctrl-]\nCtrl-] ?       shows this";

struct Typed {
  std::string bytes;    // for the kernel
  bool detach = false;  // what is typed behind it is dropped
  bool help = false;
};

class Escapes {
 public:
  // What was read next; an escape may be cut between two reads.
  Typed take(std::string_view bytes);

 private:
  bool begun_ = false;
};

}  // namespace berth::cli
