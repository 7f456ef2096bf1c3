#include "agents/runtime/agent_config.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "agents/egress/allow_list.h"
#include "agents/volumes/volume_root.h"

namespace berth::agents {
namespace {

using Set = std::function<Result<void>(AgentConfig&, const std::string&)>;

Result<void> wrong(const std::string& what) { return make_error("config-invalid", what); }

Set text(std::string AgentConfig::*member) {
  return [member](AgentConfig& config, const std::string& value) -> Result<void> {
    config.*member = value;
    return {};
  };
}

Set amount(SlotKind kind, std::function<Amount&(AgentConfig&)> member) {
  return [kind, member](AgentConfig& config, const std::string& value) -> Result<void> {
    const auto parsed = parse_amount(kind, value);
    if (!parsed) return parsed.error();
    member(config) = *parsed;
    return {};
  };
}

Result<std::uint32_t> parse_number(std::string_view text) {
  std::uint32_t parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error == std::errc() && end == text.data() + text.size()) return parsed;
  return make_error("config-invalid", "'" + std::string(text) + "' is no whole number");
}

Set number(std::function<std::uint32_t&(AgentConfig&)> member) {
  return [member](AgentConfig& config, const std::string& value) -> Result<void> {
    const auto parsed = parse_number(value);
    if (!parsed) return parsed.error();
    member(config) = *parsed;
    return {};
  };
}

// Of its requeueable kernels, in seconds.
Result<void> lease_seconds(AgentConfig& config, const std::string& value) {
  const auto parsed = parse_number(value);
  if (!parsed) return parsed.error();
  const Duration lease = *parsed * kSecond;
  if (lease < kLease || lease > kLeaseMax)
    return wrong("a lease of " + value + " s: it must be from " + std::to_string(kLease / kSecond) + " to " +
                 std::to_string(kLeaseMax / kSecond));
  config.times.lease = lease;
  return {};
}

// "1000": the group of that number; "1000:100".
Result<void> process_user(AgentConfig& config, const std::string& value) {
  const std::size_t colon = std::min(value.find(':'), value.size());
  const auto uid = parse_number(std::string_view(value).substr(0, colon));
  const auto gid = colon < value.size() ? parse_number(std::string_view(value).substr(colon + 1)) : uid;
  if (!uid || !gid) return wrong("'" + value + "' is neither UID nor UID:GID");
  config.process_user = ProcessUser{*uid, *gid};
  return {};
}

Result<void> egress_allow(AgentConfig& config, const std::string& value) {
  if (auto list = parse_allow_list(value); !list) return list.error();
  config.egress_allow = value;
  return {};
}

// "volumes.data" = "/srv/data".
Result<void> volume(AgentConfig& config, const std::string& name, const std::string& path) {
  std::vector<VolumePlace> places = config.volumes;
  std::erase_if(places, [&](const VolumePlace& place) { return place.name == name; });
  places.push_back({name, path});
  if (auto good = check_places(places); !good) return good.error();
  config.volumes = std::move(places);
  return {};
}

Set flag(bool AgentConfig::*member, const char* yes = "true") {
  return [member, yes](AgentConfig& config, const std::string& value) -> Result<void> {
    if (value != "true" && value != "false") return wrong("'" + value + "' is neither true nor false");
    config.*member = value == yes;
    return {};
  };
}

// "section.key" -> what it sets. The one list of what may be configured.
const std::map<std::string, Set>& keys() {
  static const std::map<std::string, Set> kKeys = {
      {"agent.name", text(&AgentConfig::name)},
      {"agent.group", text(&AgentConfig::group)},
      {"agent.data", text(&AgentConfig::data)},
      {"agent.images", text(&AgentConfig::images)},
      {"agent.backend", text(&AgentConfig::backend)},
      {"agent.process_uid", process_user},
      {"agent.runtime", text(&AgentConfig::runtime)},
      {"agent.key_file", text(&AgentConfig::key_file)},
      {"agent.services", text(&AgentConfig::services)},
      {"agent.end_kernels", flag(&AgentConfig::end_kernels)},
      {"agent.keep_kernels", flag(&AgentConfig::end_kernels, "false")},  // as it was called before
      {"agent.shared_ids", flag(&AgentConfig::shared_ids)},
      {"agent.max_containers", number([](AgentConfig& c) -> std::uint32_t& { return c.max_containers; })},
      {"agent.lease_seconds", lease_seconds},
      {"agent.keep_logs_days", number([](AgentConfig& c) -> std::uint32_t& { return c.keep_logs_days; })},
      {"agent.disk", amount(SlotKind::kBytes, [](AgentConfig& c) -> Amount& { return c.disk; })},
      {"agent.disk_per_kernel",
       amount(SlotKind::kBytes, [](AgentConfig& c) -> Amount& { return c.disk_per_kernel; })},
      {"agent.reserve_cpu",
       amount(SlotKind::kCount, [](AgentConfig& c) -> Amount& { return c.reserve.cpu; })},
      {"agent.reserve_mem",
       amount(SlotKind::kBytes, [](AgentConfig& c) -> Amount& { return c.reserve.mem.emplace(); })},
      {"agent.cpu", amount(SlotKind::kCount, [](AgentConfig& c) -> Amount& { return c.cpu; })},
      {"agent.mem", amount(SlotKind::kBytes, [](AgentConfig& c) -> Amount& { return c.mem; })},
      {"egress.allow", egress_allow},
      {"log.url", text(&AgentConfig::log)},
      {"logging.format", text(&AgentConfig::log_format)},
      {"logging.level", text(&AgentConfig::log_level)},
      {"log.kafka_config", text(&AgentConfig::kafka_config)},
      {"tracing.otlp_url", text(&AgentConfig::otlp_url)},
      {"accelerator.devices", text(&AgentConfig::accelerator)},
      {"accelerator.shares_per_device",
       number([](AgentConfig& c) -> std::uint32_t& { return c.shares.shares_per_device; })},
  };
  return kKeys;
}

std::optional<std::string> value_text(const toml::node& node) {
  if (const auto* s = node.as_string()) return s->get();
  if (const auto* i = node.as_integer()) return std::to_string(i->get());
  if (const auto* b = node.as_boolean()) return b->get() ? "true" : "false";
  return std::nullopt;
}

std::string place(std::string_view file, const toml::node& node) {
  return std::string(file) + ":" + std::to_string(node.source().begin.line);
}

// [accelerator.shares] "NVIDIA A100" = 4: by model or UUID.
Result<void> read_shares(const toml::table& table, std::string_view file, AgentConfig& config) {
  for (const auto& [name, node] : table) {
    const auto* shares = node.as_integer();
    if (shares == nullptr || shares->get() < 1 || shares->get() > kSharesPerDeviceMax)
      return wrong(place(file, node) + ": accelerator.shares." + std::string(name.str()) +
                   " must be a whole number from 1 to " + std::to_string(kSharesPerDeviceMax));
    config.shares.by_device[std::string(name.str())] = static_cast<std::uint32_t>(shares->get());
  }
  return {};
}

Result<void> read_section(const std::string& section, const toml::table& table, std::string_view file,
                          AgentConfig& config) {
  for (const auto& [name, node] : table) {
    const std::string key = section + "." + std::string(name.str());
    if (key == "accelerator.shares" && node.as_table() != nullptr) {
      if (auto read = read_shares(*node.as_table(), file, config); !read) return read;
      continue;
    }
    const auto value = value_text(node);
    if (!value)
      return wrong(place(file, node) + ": " + key + " must be a text, a whole number, true or false");
    if (auto set = set_agent_key(key, *value, place(file, node), config); !set) return set;
  }
  return {};
}

}  // namespace

Result<void> set_agent_key(const std::string& key, const std::string& value, const std::string& where,
                           AgentConfig& config) {
  constexpr std::string_view kVolumes = "volumes.";
  const auto it = keys().find(key);
  if (key.starts_with(kVolumes)) {
    const auto set = volume(config, key.substr(kVolumes.size()), value);
    if (set) return {};
    return make_error(set.error().code, where + ": " + set.error().message, set.error().hint);
  }
  if (it == keys().end())
    return make_error("config-invalid", where + ": unknown key " + key,
                      "the README lists the keys of an agent");
  auto set = it->second(config, value);
  if (!set)
    return make_error(set.error().code, where + ": " + key + ": " + set.error().message, set.error().hint);
  return {};
}

Result<void> set_volumes(const std::vector<std::string>& volumes, AgentConfig& config) {
  std::set<std::string> names;
  for (const std::string& text : volumes) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, equals);
    if (equals == text.size())
      return make_error("volume-invalid", "--volume: '" + text + "' is not NAME=PATH",
                        "--volume data=/srv/data");
    if (!names.insert(name).second)
      return make_error("volume-invalid", "--volume: two volumes are called " + name,
                        "each has a name of its own");
    if (auto set = set_agent_key("volumes." + name, text.substr(equals + 1), "--volume", config); !set)
      return set.error();
  }
  return {};
}

Result<void> check_agent_name(std::string_view name) {
  const auto is_alnum = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const bool fits = !name.empty() && name.size() <= 100 && is_alnum(name[0]) &&
                    std::all_of(name.begin(), name.end(),
                                [&](char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-'; });
  if (fits) return {};
  return make_error("invalid-name", "'" + std::string(name.substr(0, 100)) + "' is no name for an agent",
                    "1 to 100 letters, digits, '.', '_', '-', beginning with a letter or digit");
}

Result<void> read_agent_config(std::string_view toml, std::string_view file_name, AgentConfig& config) {
  const toml::parse_result parsed = toml::parse(toml, file_name);
  if (!parsed)
    return wrong(std::string(file_name) + ":" + std::to_string(parsed.error().source().begin.line) + ": " +
                 std::string(parsed.error().description()));
  for (const auto& [name, node] : parsed.table()) {
    const auto* table = node.as_table();
    if (table == nullptr)
      return wrong(place(file_name, node) + ": key " + std::string(name.str()) + " stands in no section");
    if (auto read = read_section(std::string(name.str()), *table, file_name, config); !read) return read;
  }
  return {};
}

Result<void> read_agent_environment(const std::vector<std::string>& variables, AgentConfig& config) {
  constexpr std::string_view kPrefix = "BERTH__";
  for (const std::string& variable : variables) {
    const auto equals = variable.find('=');
    if (!variable.starts_with(kPrefix) || equals == std::string::npos) continue;
    const std::string name = variable.substr(0, equals);
    const auto split = name.find("__", kPrefix.size());
    if (split == std::string::npos)
      return wrong("environment: " + name + " is not of the form BERTH__SECTION__KEY");
    std::string key = name.substr(kPrefix.size(), split - kPrefix.size()) + "." + name.substr(split + 2);
    std::transform(key.begin(), key.end(), key.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const bool ours = key.starts_with("agent.") || key.starts_with("accelerator.") ||
                      key.starts_with("egress.") || key.starts_with("log.") || key.starts_with("logging.") ||
                      key.starts_with("volumes.") || key.starts_with("tracing.");
    if (!ours) continue;
    if (auto set = set_agent_key(key, variable.substr(equals + 1), "environment: " + name, config); !set)
      return set;
  }
  return {};
}

Result<OfferedMachine> offered_machine(const AgentConfig& config) {
  auto machine = discover_machine();
  if (!machine) return machine.error();
  if (config.cpu > 0) machine->cpu = config.cpu;
  if (config.mem > 0) {
    machine->mem = config.mem;
    machine->memory = {.total = config.mem};
  }
  auto usable = without_reserve(*machine, config.reserve);
  if (!usable) return usable.error();
  return OfferedMachine{std::move(*machine), std::move(*usable)};
}

Result<v1::AgentJoined> announce(const AgentConfig& config, std::string_view version) {
  if (auto name = check_agent_name(config.name); !name) return name.error();
  auto machine = offered_machine(config);
  if (!machine) return machine.error();
  const Machine* const usable = &machine->usable;
  const auto accelerators = parse_accelerators(config.accelerator);
  if (!accelerators) return accelerators.error();
  const auto devices = announce_devices(*accelerators, config.shares);
  if (!devices) return devices.error();

  v1::AgentJoined joined;
  joined.set_agent(config.name);
  joined.set_group(config.group);
  joined.set_architecture(usable->architecture);
  for (const auto& [slot, amount] : {std::pair("cpu", usable->cpu), std::pair("mem", usable->mem)}) {
    auto& announced = *joined.add_slots();
    announced.set_slot(slot);
    announced.set_amount(amount);
  }
  joined.mutable_devices()->Assign(devices->begin(), devices->end());
  joined.set_backend(config.backend);
  joined.set_max_containers(config.max_containers);
  joined.set_version(std::string(version));
  joined.set_boot_id(std::string(usable->boot_id.view()));
  return joined;
}

}  // namespace berth::agents
