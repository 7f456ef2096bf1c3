// What ends with sessions, shown and asked about.
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

#include "ops/cli/command/registry.h"

namespace berth::cli {

// "demo: 3 files (51.2 KiB) outside folders end with the session:" and the names of some, a line each, with
// newlines. Empty: nothing ends with it. `losses`: of GET /v1/sessions/{session}/losses.
std::string losses_text(const std::string& session, const boost::json::value& losses, std::size_t names_max);

// Asks on the terminal whether the sessions are to end, if something ends with them that nothing brings back,
// or nobody knows. No question where no person is: standard input or output is no terminal. Code
// not-confirmed; what is no session does not matter here.
Outcome<bool> confirm_losses(Shell& shell, Api& api, const std::vector<std::string>& sessions);

void add_session_losses(Registry& registry, CLI::App* noun);

}  // namespace berth::cli
