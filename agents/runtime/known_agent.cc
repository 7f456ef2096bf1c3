#include "agents/runtime/known_agent.h"

#include "agents/kernel/backends.h"
#include "events/base/files/known_folder.h"

namespace berth::agents {

// An agent may come back under another name: only an empty folder is refused.
Result<void> check_known_agent(const std::string& data, const std::string& record) {
  if (holds_agent(data)) return {};
  if (auto none = check_left_kernels(data); !none) return none;
  return check_known_folder({record, data, "agent"}, "");
}

std::string remember_agent(const std::string& data, const std::string& record, const std::string& name,
                           bool is_service) {
  if (record.empty() || !holds_agent(data) || !is_worth_remembering(data, is_service)) return "";
  const auto error = remember_folder({record, data, "agent"}, name);
  return error ? "that " + data + " holds this agent is not remembered: " + record + ": " + error.message()
               : "";
}

}  // namespace berth::agents
