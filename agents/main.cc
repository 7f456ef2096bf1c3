// berth-agent: one worker node.
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <CLI/CLI.hpp>

#include "agents/runtime/agent_key.h"
#include "agents/runtime/agent_machinery.h"
#include "agents/runtime/agent_runtime.h"
#include "agents/runtime/known_agent.h"
#include "events/base/edge_errors.h"
#include "events/base/files/descriptor_limit.h"
#include "events/base/files/known_folder.h"
#include "events/base/files/standard_streams.h"
#include "events/base/secrets.h"
#include "events/base/service/last_words.h"
#include "events/base/service/service_notice.h"
#include "events/base/stop_signal.h"
#include "events/base/system_clock.h"
#include "events/base/version.h"
#include "events/log/open/open_log.h"
#include "events/logs/log_setup.h"
#include "events/otlp/span_exporter.h"

extern char** environ;

namespace berth::agents {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;
constexpr Duration kAliveWait = 10 * kSecond;

// What the flags say; they win over file and environment.
struct Flags {
  std::string config_file;
  std::vector<std::pair<std::string, std::string>> values;  // "agent.name" -> text
  bool end_kernels = false;
  bool keep_kernels = false;
  std::vector<std::string> volumes;
  bool shared_ids = false;
};

void add_flags(CLI::App& app, Flags& flags) {
  app.set_version_flag("--version", kVersion);
  app.add_option("--config", flags.config_file, "TOML file; see README")->type_name("FILE");
  const auto option = [&](const char* flag, const char* key, const char* about, const char* type) {
    app.add_option_function<std::string>(
           flag, [&flags, key](const std::string& value) { flags.values.emplace_back(key, value); }, about)
        ->type_name(type);
  };
  option("--log", "log.url", "The cluster's event log", "kafka://HOST:PORT");
  option("--kafka-config", "log.kafka_config", "Kafka's SASL and TLS: librdkafka's properties, mode 0600",
         "FILE");
  option("--key-file", "agent.key_file", "What `berth agent enroll` answered, mode 0600", "FILE");
  option("--name", "agent.name", "Its name (default: as in the key file)", "NAME");
  option("--group", "agent.group", "Its resource group", "GROUP");
  option("--data", "agent.data", "Folder of kernels and images", "DIR");
  option("--backend", "agent.backend", "oci, process or fake", "KIND");
  option("--process-uid", "agent.process_uid",
         "The user of process kernels; an agent of root has to name one", "UID[:GID]");
  option("--runtime", "agent.runtime",
         "The container runtime: runc or crun, or its path (default runc, else crun)", "PROGRAM");
  option("--accelerator", "accelerator.devices", "Mock devices, e.g. mock:1x2", "SPEC");
  option("--reserve-cpu", "agent.reserve_cpu", "Cores kept for the machine itself (default 0)", "AMOUNT");
  option("--reserve-mem", "agent.reserve_mem",
         "Memory kept for the machine itself (default a sixteenth, from 512m to 8g)", "AMOUNT");
  option("--lease-seconds", "agent.lease_seconds",
         "How long requeueable kernels run on without it; their sessions start elsewhere after that (default "
         "120)",
         "SECONDS");
  option("--disk", "agent.disk", "What its kernels may write together (default: nine tenths of what is free)",
         "AMOUNT");
  option(
      "--disk-per-kernel", "agent.disk_per_kernel",
      "What a container may write whose session asks for no disk; the agent then offers none without --disk",
      "AMOUNT");
  option(
      "--egress-allow", "egress.allow",
      "What kernels with egress reach, or none (default: the registries of pip, npm and apt of this machine)",
      "NAME:PORT,...");
  app.add_option("--volume", flags.volumes,
                 "A folder of this machine that holds people's folders; may come again (oci alone)")
      ->type_name("NAME=PATH")
      ->allow_extra_args(false);
  app.add_flag("--shared-ids", flags.shared_ids,
               "Take volumes whose file system has no id maps: files then belong to ids that kernels run as");
  option("--log-format", "logging.format", "Log lines: json, text, or auto: text on a terminal", "FORMAT");
  option("--log-level", "logging.level",
         "trace, debug, info, warning or error; SIGUSR1 logs a step more, SIGUSR2 a step less", "LEVEL");
  option("--otlp-url", "tracing.otlp_url",
         "Spans of kernels' starts and ends go to this collector, like http://127.0.0.1:4318", "URL");
  option("--services", "agent.services", "Where API servers reach its kernels (default 127.0.0.1:0)",
         "IP:PORT");
  auto* end =
      app.add_flag("--end-kernels", flags.end_kernels,
                   "Kernels end when the agent stops; else they go on, and its next start adopts them");
  app.add_flag("--keep-kernels", flags.keep_kernels)->group("")->excludes(end);  // what is done anyway
}

Result<AgentConfig> read_config(const Flags& flags) {
  AgentConfig config;
  if (!flags.config_file.empty()) {
    std::ifstream file(flags.config_file, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    if (!file.is_open()) return make_error("config-missing", flags.config_file + " cannot be read");
    if (auto read = read_agent_config(text, flags.config_file, config); !read) return read.error();
  }
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  if (auto read = read_agent_environment(variables, config); !read) return read.error();
  for (const auto& [key, value] : flags.values)
    if (auto set = set_agent_key(key, value, "command line", config); !set) return set.error();
  if (auto set = set_volumes(flags.volumes, config); !set) return set.error();
  config.shared_ids = config.shared_ids || flags.shared_ids;
  config.end_kernels = (config.end_kernels || flags.end_kernels) && !flags.keep_kernels;
  if (config.log.empty())
    return make_error("log-missing", "no event log is named", "--log kafka://HOST:PORT");
  if (config.key_file.empty())
    return make_error("key-file-missing", "no key file is named",
                      "make one with `berth agent enroll NAME`, then --key-file FILE");
  if (auto collector = find_collector(config.otlp_url); !collector) return collector.error();
  return config;
}

void say(LogLevel level, const std::string& text) {
  switch (level) {
    case LogLevel::kInfo: return spdlog::info(text);
    case LogLevel::kWarning: return spdlog::warn(text);
    case LogLevel::kError: return spdlog::error(text);
  }
}

Result<void> run(AgentConfig config) {
  ServiceNotice notice;      // first: its sockets are no kernel's
  umask(077);                // the launcher of kernels gives them the usual one again
  raise_descriptor_limit();  // each channel into a kernel takes one
  const auto key = read_agent_key(config.key_file);
  if (!key) return key.error();
  if (config.name.empty()) config.name = key->agent;
  if (config.name != key->agent)
    return make_error("key-file-invalid", "the key is of agent " + key->agent + ", not " + config.name,
                      "leave --name out");
  auto collector = find_collector(config.otlp_url);
  if (!collector) return collector.error();
  std::error_code error;
  const std::string data =
      std::filesystem::absolute(config.data, error).string();  // open_machinery() says it
  const std::string known = record_of_agent(data);
  if (auto good = check_known_agent(data, known); !good) return good;
  auto machinery = open_machinery(config, say);  // first: it starts the launcher
  if (!machinery) return machinery.error();
  if (const auto failed = remember_agent(data, known, config.name, notice.is_service()); !failed.empty())
    say(LogLevel::kWarning, failed);
  OpenLog wanted;
  wanted.url = config.log;
  wanted.kafka_config = config.kafka_config;
  wanted.makes_streams = false;
  auto log = open_log(wanted);
  if (!log) return log.error();
  SystemClock clock;
  SystemRandom random;
  const auto spans = start_exporter(std::move(*collector), {"berth-agent", config.name, kVersion},
                                    [](const std::string& text) { say(LogLevel::kWarning, text); });
  AgentRuntime agent(
      config, key->signer(),
      {**log, clock, random, *machinery->backend, machinery->images.get(), say, machinery->pump,
       std::move(machinery->registries), machinery->volumes.get(), into(spans)},
      kVersion);
  if (auto started = agent.start(); !started) return started;
  spdlog::info("agent {} of group {} runs on {}, backend {}, services at {}", config.name, config.group,
               config.log, machinery->backend->name(), agent.address());
  notice.ready("agent " + config.name + " of group " + config.group,
               [&agent] { return agent.answers(kAliveWait); });
  wait_for_stop_signal();
  notice.stopping();
  spdlog::info("stopping; {} kernels {}", agent.status().kernels_live,
               config.end_kernels ? "are ended" : "go on");
  if (!agent.stop()) spdlog::warn("not all could be told in time; the next start will");
  return {};
}

int main_of_agent(int argc, char** argv) {
  CLI::App app{"berth-agent: offers this machine to a Berth cluster"};
  Flags flags;
  add_flags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : kUsage; }
  const auto config = read_config(flags);
  const auto logs =
      set_up_logs(config ? LogOptions{"agent", config->log_format, config->log_level} : LogOptions{"agent"});
  if (!config || !logs) {
    if (!logs) (void)set_up_logs({"agent"});  // an error goes where logs go
    spdlog::error(to_string(config ? logs.error() : config.error()));
    return kUsage;
  }
  if (!catch_stop_signals()) return kFailure;
  const auto ran = run(*config);
  if (ran.ok()) return 0;
  spdlog::error(to_string(ran.error()));
  return is_wrong_option(ran.error()) ? kUsage : kFailure;
}

}  // namespace
}  // namespace berth::agents

int main(int argc, char** argv) {
  berth::open_standard_streams();
  berth::say_last_words("berth-agent");
  return berth::agents::main_of_agent(argc, argv);
}
