// Amounts of slots: exact integers, and their text forms.
//
// Counts are micro-units (1 cpu = 1'000'000), memory is bytes, a unique slot is 0 or 1'000'000. No
// floating-point number is ever folded, compared or decided on (ARCHITECTURE.md, determinism).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "events/base/result.h"

namespace berth {

// A slot amount in its kind's integer unit. Signed: over-commitment shows as negative free (P8).
using Amount = std::int64_t;

inline constexpr Amount kUnit = 1'000'000;           // one whole of a count slot
inline constexpr Amount kAmountMax = INT64_MAX / 4;  // a sum of a few amounts never overflows

enum class SlotKind : std::uint8_t { kCount = 0, kBytes = 1, kUnique = 2 };

// Counts: digits with at most 6 decimals, "0.5" or "16". Bytes: digits with an optional k m g t p suffix
// (1024^n, either case, an "i"/"ib"/"b" tail allowed); "1.5g" is allowed if it is a whole number of bytes.
// Refuses: empty, sign, other characters ("1e3"), more decimals than the unit can hold, overflow. Codes:
// invalid-amount.
Result<Amount> parse_amount(SlotKind kind, std::string_view text);

// Exact and shortest: "0.5", "2", "1073741824" for bytes. parse_amount(format_amount(x)) == x for x >= 0.
std::string format_amount(SlotKind kind, Amount amount);

// For people: bytes with the largest suffix that keeps the number whole ("2g", "512m", "1000"), counts as
// format_amount.
std::string format_amount_human(SlotKind kind, Amount amount);

}  // namespace berth
