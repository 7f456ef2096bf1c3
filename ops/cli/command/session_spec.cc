#include "ops/cli/command/session_spec.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct Pair {
  std::string key, value;
};

Outcome<Pair> split_pair(const std::string& text, const char* option, const char* example) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return usage_failure(std::string(option) + " '" + text.substr(0, 60) + "' is not of the form " + example);
  return Pair{text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

Outcome<json::value> session_body(const RunOptions& options) {
  json::object body;
  const auto add = [&body](const char* key, const std::string& value) {
    if (!value.empty()) body[key] = value;
  };
  add("name", options.name);
  add("type", options.type);
  add("image", options.image);
  add("group", options.group);
  add("shm", options.shm);
  add("project", options.project);
  add("domain", options.domain);
  add("architecture", options.architecture);
  add("start_time", options.start_time);
  add("pending_timeout", options.pending_timeout);
  add("batch_timeout", options.batch_timeout);
  if (options.count != 1) body["count"] = options.count;
  if (options.has_priority) body["priority"] = options.priority;
  if (options.max_attempts != 0) body["max_attempts"] = options.max_attempts;
  if (options.requeueable) body["requeueable"] = true;

  json::object resources;
  if (!options.cpu.empty()) resources["cpu"] = options.cpu;
  if (!options.mem.empty()) resources["mem"] = options.mem;
  for (const auto& text : options.resources) {
    auto pair = split_pair(text, "--resource", "SLOT=AMOUNT, like cuda.shares=1");
    if (!pair) return pair.failure();
    if (pair->value.empty()) return usage_failure("--resource '" + text.substr(0, 60) + "' has no amount");
    if (resources.contains(pair->key)) return usage_failure("slot " + pair->key + " is given twice");
    resources[pair->key] = pair->value;
  }
  if (!resources.empty()) body["resources"] = std::move(resources);

  json::object env;
  for (const auto& text : options.env) {
    auto pair = split_pair(text, "--env", "KEY=VALUE");
    if (!pair) return pair.failure();
    env[pair->key] = pair->value;
  }
  if (!env.empty()) body["env"] = std::move(env);
  if (!options.command.empty()) body["command"] = json::array(options.command.begin(), options.command.end());
  return json::value(std::move(body));
}

}  // namespace berth::cli
