// RawTerminal: a terminal that hands on each key as it is typed. However the process ends or stops, by a
// signal too, the terminal gets its modes back; one that goes on after a stop has it raw again.
#pragma once

#include <optional>

#include "events/inside/messages.h"

namespace berth::cli {

// The terminal's size; nullopt: it is no terminal, or has none. Each side is 1 to 1000.
std::optional<inside::Size> terminal_size(int descriptor);

// One at a time: signals know no object.
class RawTerminal {
 public:
  // REQUIRES: `terminal` is one; it stays open.
  explicit RawTerminal(int terminal);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  // Ready to read after the size may have changed: to be awaited beside others.
  int changes() const;
  void take_changes();
};

}  // namespace berth::cli
