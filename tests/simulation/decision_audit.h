// Works each placement in the log out again, as `berth replay` does, and asks that it comes out as recorded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "events/schema/v1/record.pb.h"
#include "projections/fold/projection.h"
#include "tests/simulation/sim_controller.h"
#include "tests/simulation/world.h"

namespace berth::simulation {

class DecisionAudit {
 public:
  explicit DecisionAudit(const SimCluster& cluster) : cluster_(cluster) {}
  DecisionCounts audit();

  const std::vector<std::string>& failures() const { return failures_; }

 private:
  struct Applied {
    Offset offset = 0;
    v1::Record record;
  };
  void look_at(const Applied& record);
  void look_at_event(const Applied& record, std::uint32_t index);

  const SimCluster& cluster_;
  std::vector<Applied> records_;                                  // of all that applied
  std::vector<std::shared_ptr<projections::Projection>> before_;  // each of them
  std::vector<std::string> failures_;
  DecisionCounts counted_;
};

}  // namespace berth::simulation
