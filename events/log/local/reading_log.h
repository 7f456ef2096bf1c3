// The embedded log for who only reads it, beside a server that writes it: no lock, no byte written.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "events/log/event_log.h"

namespace berth {

// As it is at this moment: what is appended later is not seen. An append fails. `lost` is set where the end
// mark says that the journal went on (log-truncated), or cannot be read: what is left is readable all the
// same. Codes: log-io-error, log-corrupt, log-newer.
Result<std::unique_ptr<EventLog>> open_local_log_for_reading(const std::string& dir,
                                                             std::optional<Error>* lost = nullptr);

}  // namespace berth
