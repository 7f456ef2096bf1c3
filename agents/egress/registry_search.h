// RegistrySearch: what settings leave open, asked of the tools of this machine: pip's and npm's own defaults,
// and the hosts on which the files of pip's indexes lie, learnt from one page of each index.
// Blocks: for a thread of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agents/egress/registry_settings.h"
#include "agents/kernel/run_tool.h"

namespace berth::agents {

// What the search asks of the machine.
struct SearchTools {
  std::function<ToolResult(const std::vector<std::string>& words)> run;
  // Whether a name leads into a network of the operator's own now.
  std::function<bool(const std::string& host)> is_private;
};
// Those of this machine. `cancel` ends a tool that runs; it outlives them.
SearchTools own_tools(const std::atomic<bool>& cancel);

struct Found {
  AllowList allowed;  // with what the settings have allowed
  std::vector<std::string> notes;
  bool whole = true;  // false: an index gave no answer; a later search may find more
};

// A host may have a private address where settings name it, and where pip's or npm's own default leads into a
// private network now; a host of an index's files only where both it and the index do now.
Found search_registries(const RegistrySettings& settings, const SearchTools& tools);

}  // namespace berth::agents
