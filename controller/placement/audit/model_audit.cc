#include "controller/placement/audit/model_audit.h"

#include <algorithm>

#include "controller/placement/audit/parts.h"

namespace berth::placement {

namespace {

using Table = AuditPortion::Table;

constexpr std::uint32_t kAgentsAtOnce = 256;
constexpr std::uint32_t kLiveAtOnce = 1024;

std::uint32_t rows_of(const Model& model, Table table) {
  switch (table) {
    case Table::kAgents: return static_cast<std::uint32_t>(model.agents.size());
    case Table::kGroups: return static_cast<std::uint32_t>(model.groups.size());
    case Table::kLive: return static_cast<std::uint32_t>(model.live.size());
    default: return 0;  // recounted as a whole
  }
}

std::uint32_t rows_at_once(Table table) {
  switch (table) {
    case Table::kAgents: return kAgentsAtOnce;
    case Table::kLive: return kLiveAtOnce;
    default: return 1;
  }
}

// The rows that a portion visits, roughly.
std::uint64_t price(const Model& model, const AuditPortion& portion) {
  switch (portion.table) {
    case Table::kAgentNames: return model.agents.size();
    case Table::kAgents: return std::uint64_t{kAgentsAtOnce} * 8;
    case Table::kGroups:
      return portion.begin < model.groups.size()
                 ? model.groups[portion.begin].agents.size() + 2 * model.groups[portion.begin].pending
                 : 1;
    case Table::kPending: return model.pending.size();
    case Table::kClasses: return model.pending.size() + 4 * model.classes.size();
    case Table::kRequirements: return model.live.size() + 4 * model.requirements.size();
    case Table::kLive: return std::uint64_t{kLiveAtOnce} * 4;
    case Table::kHoldings: return std::uint64_t{4} * model.live.size();
  }
  return 1;
}

std::string broken_in(const Model& model, const AuditPortion& portion) {
  const std::uint32_t end =
      std::min(rows_of(model, portion.table), portion.begin + rows_at_once(portion.table));
  switch (portion.table) {
    case Table::kAgentNames: return audit::agent_names(model);
    case Table::kAgents: return audit::agents(model, portion.begin, end);
    case Table::kGroups: return portion.begin < end ? audit::group(model, portion.begin) : std::string();
    case Table::kPending: return audit::pending(model);
    case Table::kClasses: return audit::classes(model);
    case Table::kRequirements: return audit::requirements(model);
    case Table::kLive: return audit::live(model, portion.begin, end);
    case Table::kHoldings: return audit::holdings(model);
  }
  return {};
}

AuditPortion after(const Model& model, const AuditPortion& portion) {
  const std::uint32_t begin = portion.begin + rows_at_once(portion.table);
  if (begin < rows_of(model, portion.table)) return {portion.table, begin};
  if (portion.table == Table::kHoldings) return {};
  return {static_cast<Table>(static_cast<std::uint8_t>(portion.table) + 1), 0};
}

}  // namespace

std::string broken_invariant(const Model& model) {
  AuditPortion portion;
  do {
    if (std::string broken = broken_in(model, portion); !broken.empty()) return broken;
    portion = after(model, portion);
  } while (portion != AuditPortion{});
  return {};
}

std::string ModelAuditor::after_pass(const Cluster& cluster) {
  const Model& model = cluster.model();
  earned_ += kRowsPerPass;
  const std::uint64_t rows = price(model, next_);
  const bool is_too_large = rows > kMostRows;
  if (!is_too_large && earned_ < rows) return {};
  if (!is_too_large) earned_ -= rows;
  const AuditPortion due = next_;
  next_ = after(model, due);
  cycles_ += next_ == AuditPortion{} ? 1 : 0;
  return is_too_large ? std::string() : broken_in(model, due);
}

}  // namespace berth::placement
