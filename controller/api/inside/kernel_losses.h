// What helpers tell of the losses of a session's kernels, as one answer. Pure.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "events/base/result.h"
#include "events/inside/answers.h"

namespace berth::controller::api {

// Of one kernel.
struct KernelLosses {
  std::string kernel;  // name
  inside::LossSum sum;
  std::vector<inside::LossEntry> named;
};

// Code agent-answer-invalid: the entries are not one sum and then files, or too many.
Result<KernelLosses> read_losses(const std::string& kernel, const std::vector<inside::Answer>& entries);

// A kernel that did not tell.
struct SilentKernel {
  std::string kernel;
  Error why;
};

// {"files", "bytes", "complete", "names", "unknown"}. It is complete if all are and none is silent.
// `with_names`: at most kLossesNamedMax of all kernels, those of the first before the next's. Else none.
boost::json::object losses_to_json(const std::vector<KernelLosses>& kernels,
                                   const std::vector<SilentKernel>& silent, bool with_names);

}  // namespace berth::controller::api
