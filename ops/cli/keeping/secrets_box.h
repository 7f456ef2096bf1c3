// The secrets of a backup, under a passphrase: Argon2id makes the key of it, a secretstream keeps them.
//
//   "BERTHSEC" | u32 format | u64 passes | u64 bytes of memory | salt (16) | header (24) | one message
// The message is bound to the backup: its id and rolling hash are authenticated with it.
#pragma once

#include <string>
#include <string_view>

#include "events/base/result.h"

namespace berth::cli {

inline constexpr std::size_t kPassphraseMin = 12;  // characters

// Takes about a second. Code: out-of-memory.
Result<std::string> seal_secrets(std::string_view secrets, std::string_view passphrase,
                                 std::string_view bound_to);
// Codes: passphrase-wrong (or the file, or what it is bound to, was changed), backup-damaged, out-of-memory.
Result<std::string> open_secrets(std::string_view box, std::string_view passphrase,
                                 std::string_view bound_to);

}  // namespace berth::cli
