// UploadPart: a file copied into a folder by `berth folder cp`, against `cp` and fsync onto the same disk, in
// turn.
#pragma once

#include <cstdint>

#include "bench/app/berth_up.h"
#include "bench/report.h"

namespace berth::bench {

// A file of so many MiB, so many times. Adds figures.
void measure_upload(std::uint64_t mib, std::uint64_t turns, const BerthUp& up, Report& report);

}  // namespace berth::bench
