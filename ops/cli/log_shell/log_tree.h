// LogTree: a moment of the journal as folders and files: a folder a noun, a file a row, as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ops/cli/log_shell/offline_log.h"

namespace berth::cli {

class LogTree {
 public:
  static constexpr std::size_t kEventsShown = 20;

  // At the newest moment.
  static Result<LogTree> open(OfflineLog& log);

  const projections::PastPoint& point() const { return state_->point; }
  // Codes: no-such-moment, and those of OfflineLog.
  Result<void> go_to(Offset position);
  Result<void> go_to_time(Timestamp time);

  // The names in a folder: "" has the nouns and `events`. Codes: no-such-file.
  Result<std::vector<std::string>> list(const std::string& folder) const;
  // The text of "sessions/demo" or "events/17-0". Codes: no-such-file, ambiguous-name.
  Result<std::string> read(const std::string& path) const;
  bool is_folder(const std::string& path) const;

 private:
  LogTree(OfflineLog& log, projections::PastPtr state) : log_(&log), state_(std::move(state)) {}
  Result<std::vector<std::string>> events() const;
  Result<std::string> event(const std::string& name) const;

  OfflineLog* log_;
  projections::PastPtr state_;
};

}  // namespace berth::cli
