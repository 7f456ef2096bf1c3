#include "ops/cli/check_machine.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>

#include "agents/check/machine_check.h"

namespace berth::cli {
namespace {

const char* name_of(agents::CheckLevel level) {
  switch (level) {
    case agents::CheckLevel::kOk: return "ok";
    case agents::CheckLevel::kLess: return "warning";
    case agents::CheckLevel::kFails: return "FAILS";
  }
  return "FAILS";
}

}  // namespace

boost::json::array check_this_machine(const std::string& data, const std::string& runtime) {
  umask(077);  // as the agent; the launcher of kernels gives them the usual one again
  auto lines = agents::check_machine(data, runtime);
  if (geteuid() == 0) lines.push_back(agents::check_start(data, runtime, ""));
  boost::json::array out;
  for (const agents::CheckLine& line : lines)
    out.push_back(boost::json::object{{"check", line.name},
                                      {"status", name_of(line.level)},
                                      {"found", line.found},
                                      {"advice", line.advice}});
  return out;
}

}  // namespace berth::cli
