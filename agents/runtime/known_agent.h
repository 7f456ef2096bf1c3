// Whether an agent's data folder is the one that it had (ADR 0102).
#pragma once

#include <string>

#include "events/base/result.h"

namespace berth::agents {

// Refuses a data folder that is empty although kernels of an agent on it still run, or an agent was there
// when it was opened last. Before anything is made in it. `data`: absolute. `record`: as record_of_agent()
// has it;
// "": nothing is remembered. Codes: those of check_left_kernels() and check_known_folder().
Result<void> check_known_agent(const std::string& data, const std::string& record);
// Remembers it, once its backend is open, where is_worth_remembering() says so. What fails is for people; "":
// nothing did.
std::string remember_agent(const std::string& data, const std::string& record, const std::string& name,
                           bool is_service);

}  // namespace berth::agents
