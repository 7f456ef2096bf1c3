// Codes of operating errors that more than one edge makes and that callers act on. Pure.
//
// The code is written here once; a caller asks by function and compares no text.
#pragma once

#include <algorithm>
#include <iterator>

#include "events/base/result.h"

namespace berth {

inline constexpr Code kDiskFull = "disk-full";
inline constexpr Code kResourcesShort = "resources-short";
inline constexpr Code kDiskFailing = "disk-failing";
inline constexpr Code kPortInUse = "port-in-use";

// Of what was asked for on the command line, in a configuration file or in the environment, or of data that
// no build reads any more: the same start fails again, so that the process exits with 2
// (RestartPreventExitStatus= of the units).
inline constexpr Code kWrongOptions[] = {"backend-unknown",   "config-invalid",      "invalid-name",
                                         "invalid-url",       "invalid-value",       "log-format-invalid",
                                         "log-level-invalid", "made-before-0.1.0",   "not-for-this-backend",
                                         "otlp-url-invalid",  "process-uid-missing", "process-uid-wrong",
                                         "tls-incomplete",    "tls-missing",         "volume-invalid"};

// Codes of starts that failed by a fault of the machine, whatever the session asked for. Such a start does
// not count as an attempt of the session; the agent then tries a kernel of its own. A code that the image, a
// storage folder or the request can cause does not belong here.
inline constexpr Code kMachineFaults[] = {
    "agent-unfit",  "cgroup-not-made",    "claim-not-written",  "data-folder",     "disk-full",
    "image-folder", "image-missing",      "launcher-silent",    "no-id-range",     "no-mount-point",
    "no-process",   "no-user-namespaces", "record-not-written", "runtime-missing", "runtime-timeout",
    "shim-died",    "spec-unreadable",    "tool-missing"};

inline bool is_machine_fault(Code code) {
  return std::ranges::find(kMachineFaults, code) != std::end(kMachineFaults);
}
inline bool is_wrong_option(const Error& error) {
  return std::ranges::find(kWrongOptions, error.code) != std::end(kWrongOptions);
}
inline bool is_disk_full(const Error& error) { return error.code == kDiskFull; }
inline bool is_resources_short(const Error& error) { return error.code == kResourcesShort; }
// The disk answers with errors: they pass soon, or it is dead.
inline bool is_disk_failing(const Error& error) { return error.code == kDiskFailing; }
// The same call may succeed later although nobody starts anything again: somebody makes room, ends what takes
// the descriptors, or the disk is back.
inline bool may_pass(const Error& error) {
  return is_disk_full(error) || is_resources_short(error) || is_disk_failing(error);
}
inline bool is_port_in_use(const Error& error) { return error.code == kPortInUse; }

}  // namespace berth
