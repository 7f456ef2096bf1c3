// History rows: a session that left the state and its kernels, as one value, and the order in which they are
// listed.
#pragma once

#include <string>
#include <string_view>

#include "events/base/result.h"
#include "projections/store/store.h"

namespace berth::projections {

std::string encode_history(const HistoryEntry& entry);
// Code: store-corrupt.
Result<HistoryEntry> decode_history(std::string_view bytes);

// Ascending keys list the newest end first, then by id. 24 bytes.
std::string history_key(const SessionRow& session);

// A page token is the hex of the last key of the page before. Code: invalid-token.
std::string history_token(std::string_view key);
Result<std::string> key_of_token(std::string_view token);

}  // namespace berth::projections
