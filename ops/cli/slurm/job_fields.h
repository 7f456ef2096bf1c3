// What squeue and sacct print of a session. Pure.
#pragma once

#include <functional>
#include <string>

#include <boost/json.hpp>

#include "ops/cli/output/times.h"

namespace berth::cli::slurm {

struct Viewer {
  Timestamp now = 0;
  UtcOffset utc_offset;
};
using JobField = std::function<std::string(const boost::json::value& session, const Viewer& viewer)>;

// By its lower-case name, "jobid"; empty: there is none.
JobField job_field(const std::string& name);

}  // namespace berth::cli::slurm
