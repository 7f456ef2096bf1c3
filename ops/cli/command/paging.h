// Lists of the API that come in pages.
#pragma once

#include <string>

#include "ops/cli/shell.h"

namespace berth::cli {

// The elements of `key` of all pages, at most `max` (0 = all). `target` has no limit and no page_token.
Outcome<boost::json::array> get_all(Api& api, const std::string& target, const char* key,
                                    std::size_t max = 0);

}  // namespace berth::cli
