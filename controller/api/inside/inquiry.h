// A question to a kernel's helper that has no input, with an answer that ends.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "controller/api/routes/call.h"
#include "events/base/result.h"
#include "events/inside/answers.h"
#include "events/inside/messages.h"

namespace berth::controller::api {

inline constexpr std::chrono::milliseconds kInquiryPatience{5'000};

// `done` gets the entries between the helper's first word and its last, once, on any thread. Codes: those of
// ApiContext::open_channel() and of the helper, agent-timeout, agent-answer-invalid.
void inquire(const Services& services, const KernelPlace& kernel, const inside::Request& request,
             std::chrono::milliseconds patience,
             std::function<void(Result<std::vector<inside::Answer>>)> done);

}  // namespace berth::controller::api
