// A log to be read alone, wherever it lies: no server need run, and nothing is disturbed.
#pragma once

#include <memory>
#include <string>

#include "ops/cli/command/registry.h"
#include "ops/cli/log_shell/offline_log.h"

namespace berth::cli {

inline constexpr char kAnyLogHelp[] =
    "data folder of a `berth up`, the folder of its log, a copy of either, a backup (its folder, or what "
    "`berth backup -` wrote to a file), or kafka://HOST:PORT[/STREAMS]";

struct LogPlace {
  std::string where, kafka_config;
};
void add_kafka_config_option(CLI::App* app, LogPlace& place);

// Whether a log lies there, of those that kAnyLogHelp names: not, say, an export of one.
bool is_place_of_log(const std::string& where);

// A backup is checked record by record, and held in memory. `lost` as of open_offline_log(). Codes:
// no-log-here, and those of open_offline_log(), BackupSource and open_log().
Result<std::unique_ptr<EventLog>> open_any_log(Shell& shell, const LogPlace& place,
                                               std::optional<Error>* lost = nullptr);
// The same, with what a server keeps beside its log. A lost tail is noted.
Result<std::unique_ptr<OfflineLog>> open_any_offline(Shell& shell, const LogPlace& place);

}  // namespace berth::cli
