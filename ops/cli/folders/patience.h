// Patience: how often what a cut stopped is tried again. A cut that nothing gets past is given up after a
// minute or so; what gets on is tried for ever.
#pragma once

#include "ops/cli/http/api.h"
#include "ops/cli/shell.h"

namespace berth::cli {

class Patience {
 public:
  static constexpr int kAttemptsMax = 15;  // without getting on

  Patience(Shell& shell, Api& api) : shell_(shell), api_(api) {}

  // Pauses before the next try. A failure if there is none: the given one, or interrupted.
  std::optional<Failure> after(const Failure& failure);
  // Something got on.
  void renew() { attempts_ = 0; }

 private:
  Shell& shell_;
  Api& api_;
  int attempts_ = 0;
};

}  // namespace berth::cli
