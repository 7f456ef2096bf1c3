#include "ops/cli/folders/copy_progress.h"

#include <algorithm>

#include "ops/cli/output/size_text.h"

namespace berth::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kQuickly{700};  // a copy that takes no longer shows no progress
constexpr std::chrono::milliseconds kBetween{200};

}  // namespace

CopyProgress::CopyProgress(Shell& shell) : shell_(shell), started_(Clock::now()), shown_(started_) {}

void CopyProgress::begin(std::string name, std::uint64_t bytes) {
  name_ = std::move(name);
  whole_ = bytes;
  done_ = 0;
}

void CopyProgress::add(std::uint64_t bytes) {
  done_ += bytes;
  all_ += bytes;
  const auto now = Clock::now();
  if (!shell_.world().err_is_terminal || now - started_ < kQuickly || now - shown_ < kBetween) return;
  shown_ = now;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now - started_).count();
  const std::uint64_t a_second = all_ * 1000 / static_cast<std::uint64_t>(std::max<std::int64_t>(ms, 1));
  shell_.status(name_ + ": " + size_text(done_) + (whole_ == 0 ? "" : " of " + size_text(whole_)) + ", " +
                size_text(a_second) + "/s");
}

}  // namespace berth::cli
