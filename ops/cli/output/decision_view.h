// One past placement step by step (GET /v1/decisions/{position}) as text for people.
#pragma once

#include "ops/cli/output/table.h"

namespace berth::cli {

// Several lines: the decision, the queue, each search, what came out. `style`: zone and width.
std::string decision_text(const boost::json::value& decision, const Style& style);
// A row of it alone.
Listing decision_listing();

}  // namespace berth::cli
