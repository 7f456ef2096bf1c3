#include "ops/cli/session/session_spec.h"

#include <algorithm>

#include "events/base/text.h"
#include "ops/cli/command/pairs.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

// "sub=2,cpu=1,mem=1g,image=python:3.11" as a role of the request.
Outcome<json::object> role_of(const std::string& text) {
  json::object role, resources;
  for (std::size_t at = 0; at <= text.size();) {
    const auto comma = std::min(text.find(',', at), text.size());
    const auto pair =
        split_pair(text.substr(at, comma - at), "--role", "NAME=COUNT[,SLOT=AMOUNT...][,image=REFERENCE]");
    if (!pair) return pair.failure();
    if (at == 0) {
      if (pair->value.empty() || pair->value.size() > 4 ||
          pair->value.find_first_not_of("0123456789") != std::string::npos)
        return usage_failure("--role '" + text.substr(0, 60) + "' has no count");
      role["role"] = pair->key;
      role["count"] = std::stoi(pair->value);
    } else if (pair->key == "image" || pair->key == "architecture") {
      role[pair->key] = pair->value;
    } else {
      resources[pair->key] = pair->value;
    }
    at = comma + 1;
  }
  if (!resources.empty()) role["resources"] = std::move(resources);
  return role;
}

// "web=spread,strict" or "web", which is spread.
Outcome<json::object> session_group_of(const std::string& text) {
  const auto equals = text.find('=');
  json::object group{{"name", text.substr(0, equals)}};
  const std::string words = equals == std::string::npos ? "spread" : text.substr(equals + 1);
  for (std::size_t at = 0; at <= words.size();) {
    const auto comma = std::min(words.find(',', at), words.size());
    const std::string word = words.substr(at, comma - at);
    at = comma + 1;
    if (word == "strict")
      group["strict"] = true;
    else if (word == "spread" || word == "pack")
      group["rule"] = word;
    else
      return usage_failure("--session-group '" + text.substr(0, 60) + "' is no NAME=spread|pack[,strict]");
  }
  return group;
}

// "data", "data:input", "data:input:ro", "data:ro".
Outcome<json::object> mount_of(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  const bool has_mode = parts.size() > 1 && (parts.back() == "ro" || parts.back() == "rw");
  const bool read_only = has_mode && parts.back() == "ro";
  if (has_mode) parts.pop_back();
  const bool is_whole =
      std::none_of(parts.begin(), parts.end(), [](const auto& part) { return part.empty(); });
  if (!is_whole || parts.size() > 2)
    return usage_failure("--mount '" + clipped(text) + "' is no FOLDER[:TARGET][:ro]",
                         "for example --mount data, --mount data:ro or --mount data:input:ro");
  json::object mount{{"folder", parts[0]}};
  if (parts.size() == 2) mount["target"] = parts[1];
  if (read_only) mount["read_only"] = true;
  return mount;
}

Outcome<bool> add_mounts(const RunOptions& options, json::object& body) {
  json::array mounts;
  for (const auto& text : options.mounts) {
    auto mount = mount_of(text);
    if (!mount) return mount.failure();
    mounts.push_back(std::move(*mount));
  }
  if (!mounts.empty()) body["mounts"] = std::move(mounts);
  return true;
}

Outcome<bool> add_cluster(const RunOptions& options, json::object& body) {
  if (!options.mode.empty()) body["mode"] = options.mode;
  if (options.cluster_size != 0) body["cluster_size"] = options.cluster_size;
  json::array roles;
  for (const auto& text : options.roles) {
    auto role = role_of(text);
    if (!role) return role.failure();
    roles.push_back(std::move(*role));
  }
  if (!roles.empty()) body["roles"] = std::move(roles);
  if (!options.agents.empty()) {
    json::object designated{{"agents", json::array(options.agents.begin(), options.agents.end())}};
    if (!options.agent_rule.empty()) designated["rule"] = options.agent_rule;
    body["designated"] = std::move(designated);
  } else if (!options.agent_rule.empty()) {
    return usage_failure("--agent-rule without --agent");
  }
  if (!options.depends_on.empty())
    body["depends_on"] = json::array(options.depends_on.begin(), options.depends_on.end());
  if (!options.on_dependency_failure.empty()) body["on_dependency_failure"] = options.on_dependency_failure;
  return true;
}

}  // namespace

Outcome<bool> add_preset(const std::string& name, const json::array& presets, json::object& body) {
  std::string known;
  for (const auto& preset : presets) {
    known += (known.empty() ? "known: " : ", ") + text_at(preset, "name");
    if (text_at(preset, "name") != name) continue;
    auto& resources =
        body["resources"].is_object() ? body["resources"].as_object() : body["resources"].emplace_object();
    if (const auto* amounts = find_path(preset, "resources"); amounts != nullptr && amounts->is_object())
      for (const auto& [slot, amount] : amounts->as_object()) resources.emplace(slot, amount);
    if (const std::string shm = text_at(preset, "shm"); !shm.empty()) body.emplace("shm", shm);
    return true;
  }
  return Failure{kNotFound,
                 "unknown-preset",
                 "no preset is named '" + name + "'",
                 known.empty() ? "berth preset set makes one" : known,
                 {}};
}

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
  if (options.no_automatic_folder) body["no_automatic_folder"] = true;
  if (options.job_priority != 0) body["job_priority"] = options.job_priority;
  if (options.not_preemptible) body["preemptible"] = false;
  if (!options.session_group.empty()) {
    auto group = session_group_of(options.session_group);
    if (!group) return group.failure();
    body["session_group"] = std::move(*group);
  }

  json::object resources;
  if (!options.cpu.empty()) resources["cpu"] = options.cpu;
  if (!options.mem.empty()) resources["mem"] = options.mem;
  if (!options.disk.empty()) resources["disk"] = options.disk;
  for (const auto& text : options.resources) {
    auto pair = split_pair(text, "--resource", "SLOT=AMOUNT, like cuda.shares=1");
    if (!pair) return pair.failure();
    if (pair->value.empty()) return usage_failure("--resource '" + text.substr(0, 60) + "' has no amount");
    if (resources.contains(pair->key)) return usage_failure("slot " + pair->key + " is given twice");
    resources[pair->key] = pair->value;
  }
  if (resources.empty() && options.roles.empty() && options.preset.empty())
    return usage_failure("no amount is asked for",
                         "for example --cpu 1 --mem 512m, or --preset NAME (berth preset ls)");
  if (const auto added = add_cluster(options, body); !added) return added.failure();
  if (const auto added = add_mounts(options, body); !added) return added.failure();
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
