// LogShell: commands over a LogTree, as of a file system: ls, cat, cd, pwd.
#pragma once

#include <ostream>
#include <string>

#include "ops/cli/log_shell/log_tree.h"
#include "ops/cli/output/times.h"

namespace berth::cli {

class LogShell {
 public:
  LogShell(LogTree tree, Timestamp now, UtcOffset utc_offset)
      : tree_(std::move(tree)), newest_(tree_.point()), now_(now), utc_offset_(std::move(utc_offset)) {}

  // "/sessions @1234-0 2026-01-31T18:00:00Z"
  std::string place() const;
  // One line of input. False: it asked for the end.
  Result<bool> run(const std::string& line, std::ostream& out);
  // What the last word of the line may be, for completion.
  std::vector<std::string> completions(const std::string& line) const;

 private:
  Result<void> change(const std::string& where);
  Result<void> change_moment(const std::string& moment);
  Result<void> list(const std::string& where, std::ostream& out) const;
  // The path from the root, of one that begins where we are.
  std::string absolute(const std::string& path) const;

  LogTree tree_;
  const projections::PastPoint newest_;
  const Timestamp now_;
  const UtcOffset utc_offset_;
  std::string folder_;  // "" is the root
};

}  // namespace berth::cli
