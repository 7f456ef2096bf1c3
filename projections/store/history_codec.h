// History rows: a session that left the state, with its kernels, as one value; and the order of their
// listing.
#pragma once

#include <string>
#include <string_view>

#include "events/base/result.h"
#include "projections/store/store.h"

namespace berth::projections {

std::string encode_history(const HistoryEntry& entry);
// Code: store-corrupt.
Result<HistoryEntry> decode_history(std::string_view bytes);

// 24 bytes. Ascending keys = newest end first, then id.
std::string history_key(const SessionRow& session);

// Behind the keys of all sessions that ended at `before` or later, and before those of all others.
std::string last_kept_history_key(Timestamp before);

// A page token is the hex of the previous page's last key. Code: invalid-token.
std::string history_token(std::string_view key);
Result<std::string> key_of_token(std::string_view token);

}  // namespace berth::projections
