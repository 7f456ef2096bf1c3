// AgentConfig: the administrator's settings of one agent.
//
// Sources: a TOML file, then BERTH__SECTION__KEY of the environment, then flags. A later source wins. Unknown
// keys are errors.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/core/agent.h"
#include "agents/discovery/accelerators.h"
#include "agents/discovery/machine.h"
#include "agents/kernel/backends.h"
#include "agents/volumes/volumes.h"
#include "events/base/result.h"

namespace berth::agents {

struct AgentConfig {
  std::string name;                           // default: the host's name
  std::string group = "default";              // resource group
  std::string data = "/var/lib/berth/agent";  // folder of kernels, images and the announced capacity
  std::string images;                         // folder of unpacked images; empty: `images` in data
  std::string backend = "oci";                // "oci", "process", "fake"
  std::optional<ProcessUser> process_user;    // "process": the kernels' user, "UID" or "UID:GID"
  std::string runtime;                        // "oci": runc or crun, or its path; empty: what is there
  std::string log = "";                       // URL of the event log; berth-agent only
  std::string kafka_config;                   // file of librdkafka's properties; berth-agent only
  std::string key_file;                       // from `berth agent enroll`; berth-agent only
  Reserve reserve;
  std::string accelerator;  // "mock:1x2", empty: none
  SharesPolicy shares;
  bool end_kernels = false;          // kernels end when the agent stops; else the next start adopts them
  std::uint32_t max_containers = 0;  // 0: no limit
  // Bytes that kernels may write together, at most what the machine has: the slot `disk`. 0: as discovered,
  // and none where disk_per_kernel is set.
  Amount disk = 0;
  Amount disk_per_kernel = 0;         // "oci": of a kernel that holds no `disk`; 0: no limit but its group's
  std::uint32_t keep_logs_days = 30;  // of ended kernels
  std::string services = "127.0.0.1:0";  // address on which API servers reach its kernels
  std::vector<VolumePlace> volumes;      // "oci": where folders lie; at most kVolumesMax
  bool shared_ids = false;               // volumes whose file system takes no id maps are used all the same
  // What kernels with egress may reach, "NAME:PORT, *.NAME:PORT"; "none": nothing; empty: the registries of
  // pip, npm and apt of this machine.
  std::string egress_allow;
  std::string log_format = "auto";  // "json", "text", or "auto": text on a terminal; berth-agent only
  std::string log_level = "info";   // berth-agent only
  std::string otlp_url;  // of a collector that spans go to; empty: OTEL_EXPORTER_OTLP_ENDPOINT's, or none
  // Instead of the machine's own amounts (tests, fake backend); zero: as discovered.
  Amount cpu = 0;
  Amount mem = 0;
  AgentTimes times = {.lease = kLeaseUsual};
};

// ^[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}$: the name is part of writer names and folders. Code invalid-name.
Result<void> check_agent_name(std::string_view name);

// One setting: "agent.reserve_mem" = "1g". `where` is named in errors. Codes: config-invalid (unknown key,
// wrong value), invalid-amount.
Result<void> set_agent_key(const std::string& key, const std::string& value, const std::string& where,
                           AgentConfig& config);

// Volumes of the command line, "NAME=PATH" each: one of a name that is there already replaces it. Codes:
// volume-invalid (also: two of one name), config-invalid.
Result<void> set_volumes(const std::vector<std::string>& volumes, AgentConfig& config);

// Merges a TOML file's text. Codes: config-invalid (unknown key, wrong type, with its line), invalid-amount.
Result<void> read_agent_config(std::string_view toml, std::string_view file_name, AgentConfig& config);

// Merges BERTH__SECTION__KEY variables, given as "NAME=value" (e.g. BERTH__AGENT__NAME,
// BERTH__ACCELERATOR__SHARES_PER_DEVICE). Variables of sections that are not an agent's are skipped. Code
// config-invalid.
Result<void> read_agent_environment(const std::vector<std::string>& variables, AgentConfig& config);

struct OfferedMachine {
  Machine whole, usable;
};
// The machine, and what kernels may have of it. Codes: those of discovery.
Result<OfferedMachine> offered_machine(const AgentConfig& config);

// The agent's announcement at joining, but for its address. Reads the machine. Codes: those of discovery.
Result<v1::AgentJoined> announce(const AgentConfig& config, std::string_view version);

}  // namespace berth::agents
