// The raw journal, page by page, as GET /v1/journal gives it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "events/base/uuid.h"
#include "events/log/event_log.h"
#include "ops/cli/shell.h"

namespace berth::cli {

struct JournalEntry {
  Offset offset = 0;
  std::optional<std::string> text;  // base64, as sent; none where no record has this offset (P30)
};

struct JournalRead {
  Uuid cluster;
  Offset next = 0;  // after the last record read
};

// Reads the records [from, to), which were there already, in offset order, up to the durable end if `to` is
// none; stops early if on_entry returns false. Failures: log-unavailable, log-truncated, those of Api::get()
// and on_entry.
Outcome<JournalRead> read_journal(
    Api& api, Offset from, std::optional<Offset> to,
    const std::function<Outcome<bool>(const Uuid& cluster, const JournalEntry&)>& on_entry);

// RFC 4648 with padding; nullopt if `text` is not base64.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace berth::cli
