// Codes of operating errors that more than one edge makes and that callers act on. Pure.
//
// The code is written here once; a caller asks by function and compares no text.
#pragma once

#include "events/base/result.h"

namespace berth {

inline constexpr char kDiskFull[] = "disk-full";
inline constexpr char kPortInUse[] = "port-in-use";

inline bool is_disk_full(const Error& error) { return error.code == kDiskFull; }
inline bool is_port_in_use(const Error& error) { return error.code == kPortInUse; }

}  // namespace berth
