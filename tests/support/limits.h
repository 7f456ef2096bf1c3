// Limits for tests: Limit("user", "alice").slot("cpu", 10 * kUnit).sessions(5)
#pragma once

#include <cstdint>

#include "tests/support/events.h"

namespace berth::testing {

class Limit {
 public:
  Limit(const std::string& scope, const std::string& id);
  Limit& slot(const std::string& name, Amount most);
  Limit& slot_unlimited(const std::string& name);
  Limit& nothing_else();  // unlisted slots are 0
  Limit& sessions(std::int64_t most);
  Limit& system_sessions(std::int64_t most);
  Limit& pending(std::int64_t most);
  Limit& pending_slot(const std::string& name, Amount most);
  Limit& kernels_per_session(std::int64_t most);
  Limit& priority(std::int64_t most);

  const v1::LimitSet& proto() const { return limit_; }
  operator v1::Event() const;  // NOLINT(google-explicit-constructor)

 private:
  v1::LimitSet limit_;
};

v1::Event limit_removed(const std::string& scope, const std::string& id);

// A session of default/default/alice with kernel "main1" that runs on the agent.
Events running(const std::string& session, const std::string& agent, const v1::SessionSpec& spec = Spec());

}  // namespace berth::testing
