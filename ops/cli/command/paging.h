// Lists of the API that come in pages.
#pragma once

#include <string>

#include "ops/cli/shell.h"

namespace berth::cli {

// Elements of `key` of all pages, at most `max` of them (0 = all). `target` without limit and page_token.
Outcome<boost::json::array> get_all(Api& api, const std::string& target, const char* key,
                                    std::size_t max = 0);

}  // namespace berth::cli
