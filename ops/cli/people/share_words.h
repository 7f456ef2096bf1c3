// Whom a folder or session is shared with, as words of the command line: --user USER or --project NAME.
#pragma once

#include <string>

#include <boost/json.hpp>

#include "ops/cli/command/registry.h"

namespace berth::cli {

struct ShareWords {
  std::string what;  // name or id of what is shared
  std::string user, project;
};

// `metavar`: of what is shared, "FOLDER".
void add_share_words(CLI::App* verb, const char* metavar, ShareWords& words);

// {"user"} or {"project"}. A usage failure where neither or both are named.
Outcome<boost::json::object> share_body(const ShareWords& words);

}  // namespace berth::cli
