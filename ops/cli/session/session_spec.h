// Options of `berth session run` as the JSON of POST /v1/sessions. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "ops/cli/exit_code.h"

namespace berth::cli {

struct RunOptions {
  std::string preset;
  std::string name, type, image, group, cpu, mem, disk, shm, project, domain, architecture, start_time,
      pending_timeout, batch_timeout, mode, agent_rule, on_dependency_failure, session_group;
  std::vector<std::string> resources;   // "cuda.shares=1"
  std::vector<std::string> env;         // "KEY=VALUE"
  std::vector<std::string> roles;       // "sub=2,cpu=1"
  std::vector<std::string> agents;      // designated ones
  std::vector<std::string> depends_on;  // ids or names
  std::vector<std::string> mounts;      // "FOLDER[:TARGET][:ro]"
  std::uint32_t cluster_size = 0;       // 0: one kernel, or the roles' counts
  std::uint32_t count = 1;
  std::int32_t priority = 0;
  bool has_priority = false;
  std::int32_t job_priority = 0;
  bool not_preemptible = false;
  std::uint32_t max_attempts = 0;  // 0: the group's
  bool requeueable = false;
  bool no_automatic_folder = false;
  std::vector<std::string> command;
};

// Adds what the preset names and the options do not. `presets`: those of GET /v1/presets. Failures: not
// found.
Outcome<bool> add_preset(const std::string& name, const boost::json::array& presets,
                         boost::json::object& body);

// Only the given options: the server fills in its defaults. Failures: usage.
Outcome<boost::json::value> session_body(const RunOptions& options);

}  // namespace berth::cli
