#include "agents/kernel/id_ranges.h"

namespace berth::agents {

Result<std::uint32_t> IdRanges::take(const std::string& kernel) {
  if (const auto known = of_.find(kernel); known != of_.end()) return base_of(known->second);
  for (std::uint32_t tries = 0; tries < ranges_; ++tries) {
    const std::uint32_t range = next_;
    next_ = (next_ + 1) % ranges_;
    if (!taken_.insert(range).second) continue;
    of_[kernel] = range;
    return base_of(range);
  }
  return make_error("no-id-range",
                    "each of the " + std::to_string(ranges_) + " ranges of ids has a kernel on this agent");
}

void IdRanges::found(const std::string& kernel, std::uint32_t base) {
  if (base < kKernelIdsBase || (base - kKernelIdsBase) % count_ != 0) return;
  const std::uint32_t range = (base - kKernelIdsBase) / count_;
  if (range >= ranges_ || !taken_.insert(range).second) return;
  of_[kernel] = range;
  next_ = (range + 1) % ranges_;
}

void IdRanges::avoid(std::uint64_t first, std::uint64_t last) {
  for (std::uint32_t range = 0; range < ranges_; ++range)
    if (first < std::uint64_t{base_of(range)} + count_ && last >= base_of(range)) taken_.insert(range);
}

void IdRanges::release(const std::string& kernel) {
  const auto known = of_.find(kernel);
  if (known == of_.end()) return;
  taken_.erase(known->second);
  of_.erase(known);
}

}  // namespace berth::agents
