// Which folder a word of the command line means.
#pragma once

#include <string>

#include "ops/cli/http/api.h"

namespace berth::cli {

// Of the API; `folder`: name or id. `below`: "", "/trash".
std::string folder_target(const std::string& folder, const std::string& below = {});

// The one folder, in the trash or not, that the word means: an id, a name of one's own, else one that others
// share. `in_trash`: only of those in the trash. Failures: those of the API, unknown-folder, ambiguous-name.
Outcome<boost::json::value> find_folder(Api& api, const std::string& word, bool in_trash);

}  // namespace berth::cli
