// berth-bench audit: how much slower an audit is than reading the journal and hashing each record.
#pragma once

#include <string>
#include <vector>

namespace berth::bench {

int run_audit(const std::vector<std::string>& args);

}  // namespace berth::bench
