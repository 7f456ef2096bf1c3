// ScreenModes: what a program has switched on in a terminal, read along in its output, so that one who leaves
// while it runs gets the screen back. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace berth::cli {

class ScreenModes {
 public:
  // What the program printed next; a sequence may be cut between two.
  void see(std::string_view bytes);
  // What switches off all that is on, the newest colours too; empty: nothing is.
  std::string undo() const;

 private:
  void end(char last);

  std::string sequence_;         // of a control sequence that has begun, without its ESC
  std::set<unsigned> on_, off_;  // private modes (DECSET) that differ from how terminals begin
  bool keypad_ = false;          // as of an application
  bool colored_ = false;
};

}  // namespace berth::cli
