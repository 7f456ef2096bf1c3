#include "ops/cli/folders/patience.h"

#include "ops/cli/session/inside_open.h"

namespace berth::cli {

std::optional<Failure> Patience::after(const Failure& failure) {
  if (!is_passing(failure) || attempts_ == kAttemptsMax) return failure;
  if (attempts_ == 1) shell_.note(failure.message + "; trying again");
  if (!api_.pause(pause_before_attempt(attempts_++))) return interrupted_failure();
  return std::nullopt;
}

}  // namespace berth::cli
