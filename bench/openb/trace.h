// Reads the lists of Alibaba's cluster-trace-gpu-v2023 from their text (the caller reads the files).
//
//   nodes: sn,cpu_milli,memory_mib,gpu,model
//   pods:  name,cpu_milli,memory_mib,num_gpu,gpu_milli[,gpu_spec[,...]]
//          gpu_spec: models with | between them; empty: any
//
// The first fault ends the reading with error `bad-trace`, whose message names file, line and column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "controller/placement/fragmentation/node.h"
#include "events/base/result.h"

namespace berth::placement::fragmentation {

// Names of GPU models as bits; shared by the lists of one experiment.
class Models {
 public:
  // 0 when there are kMostModels others already.
  std::uint64_t bit(std::string_view name);

 private:
  std::vector<std::string> names_;
};

Result<std::vector<Node>> read_nodes(std::string_view file, std::string_view text, Models& models);
Result<std::vector<Ask>> read_pods(std::string_view file, std::string_view text, Models& models);

}  // namespace berth::placement::fragmentation
