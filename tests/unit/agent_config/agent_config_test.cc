// Configuration of an agent: file, environment, flags, key file, and the capacity it remembers.
#include "agents/runtime/agent_config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "agents/runtime/agent_key.h"
#include "agents/runtime/agent_machinery.h"
#include "agents/runtime/announced_file.h"

namespace berth::agents {
namespace {

Result<void> read(const std::string& toml, AgentConfig& config) {
  return read_agent_config(toml, "agent.toml", config);
}

std::string message_of(const std::string& toml) {
  AgentConfig config;
  const auto result = read(toml, config);
  return result.ok() ? "ok" : result.error().message;
}

TEST(AgentConfiguration, AFileSetsWhatItNames) {
  AgentConfig config;
  const auto result = read(R"(
[agent]
name = "gpu-7"
group = "research"
backend = "process"
process_uid = "1000:100"
runtime = "crun"
disk_per_kernel = "10g"
keep_logs_days = 7
lease_seconds = 600
end_kernels = true
reserve_cpu = "0.5"
reserve_mem = "2g"
max_containers = 40
[log]
url = "kafka://127.0.0.1:9092"
kafka_config = "/etc/berth/kafka.conf"
[egress]
allow = "index.test:443"
[tracing]
otlp_url = "http://127.0.0.1:4318"
[accelerator]
devices = "mock:2"
shares_per_device = 2
[accelerator.shares]
"mock-gpu" = 5
)",
                           config);
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  EXPECT_EQ(config.name, "gpu-7");
  EXPECT_EQ(config.group, "research");
  EXPECT_EQ(config.backend, "process");
  EXPECT_EQ(config.disk_per_kernel, 10ll << 30);
  EXPECT_EQ(config.keep_logs_days, 7u);
  EXPECT_EQ(config.times.lease, 10 * kMinute);
  EXPECT_EQ(read("[agent]\nlease_seconds = 4\n", config).error().code, "config-invalid");
  EXPECT_EQ(read("[agent]\nlease_seconds = 86401\n", config).error().code, "config-invalid");
  ASSERT_TRUE(config.process_user.has_value());
  EXPECT_EQ(config.process_user->uid, 1000u);
  EXPECT_EQ(config.process_user->gid, 100u);
  EXPECT_TRUE(config.end_kernels);
  EXPECT_EQ(config.reserve.cpu, kUnit / 2);
  EXPECT_EQ(config.reserve.mem, 2ll << 30);
  EXPECT_EQ(config.max_containers, 40u);
  EXPECT_EQ(config.log, "kafka://127.0.0.1:9092");
  EXPECT_EQ(config.kafka_config, "/etc/berth/kafka.conf");
  EXPECT_EQ(config.egress_allow, "index.test:443");
  EXPECT_EQ(config.otlp_url, "http://127.0.0.1:4318");
  EXPECT_EQ(read("[egress]\nallow = \"index.test\"\n", config).error().code, "egress-entry-wrong");
  EXPECT_EQ(config.shares.shares_per_device, 2u);
  EXPECT_EQ(config.shares.by_device.at("mock-gpu"), 5u);
}

using Places = std::vector<std::pair<std::string, std::string>>;
Places places(const AgentConfig& config) {
  Places all;
  for (const auto& place : config.volumes) all.emplace_back(place.name, place.path);
  return all;
}

TEST(AgentConfiguration, VolumesComeFromFileEnvironmentAndFlagsAndTheLaterWins) {
  AgentConfig config;
  ASSERT_TRUE(read("[agent]\nshared_ids = true\n[volumes]\ndata = \"/srv/data\"\n", config).ok());
  EXPECT_TRUE(config.shared_ids);
  ASSERT_TRUE(read_agent_environment({"BERTH__VOLUMES__FAST=/srv/fast"}, config).ok());
  ASSERT_TRUE(set_volumes({"data=/srv/other", "a=/x=y"}, config).ok());
  EXPECT_EQ(places(config), (Places{{"fast", "/srv/fast"}, {"data", "/srv/other"}, {"a", "/x=y"}}));
}

TEST(AgentConfiguration, AVolumeThatIsNoneIsAnErrorThatSaysWhere) {
  AgentConfig config;
  for (const char* flag : {"data", "=/srv", "data=srv", "data=", "a b=/srv", "../x=/srv"}) {
    const auto set = set_volumes({flag}, config);
    ASSERT_FALSE(set.ok()) << flag;
    EXPECT_EQ(set.error().code, "volume-invalid") << flag;
    EXPECT_TRUE(set.error().message.starts_with("--volume")) << set.error().message;
  }
  EXPECT_EQ(set_volumes({"a=/x", "a=/y"}, config).error().message, "--volume: two volumes are called a");
  EXPECT_EQ(read("[volumes]\ndata = \"srv\"\n", config).error().code, "volume-invalid");
  AgentConfig many;
  std::vector<std::string> flags;
  for (int i = 0; i < 17; ++i) flags.push_back("v" + std::to_string(i) + "=/srv/" + std::to_string(i));
  EXPECT_EQ(set_volumes(flags, many).error().code, "volume-invalid");
}

TEST(AgentConfiguration, VolumesAreForContainersAlone) {
  AgentConfig config;
  config.data = testing::TempDir() + "berth-volumes-for-containers";
  config.backend = "fake";
  config.volumes = {{"data", "/srv/data"}};
  const auto opened = open_machinery(config, [](LogLevel, const std::string&) {});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, "not-for-this-backend");
}

TEST(AgentConfiguration, KeepKernelsIsStillUnderstood) {
  AgentConfig config;
  EXPECT_FALSE(config.end_kernels);
  ASSERT_TRUE(read("[agent]\nkeep_kernels = false\n", config).ok());
  EXPECT_TRUE(config.end_kernels);
  ASSERT_TRUE(read("[agent]\nkeep_kernels = true\n", config).ok());
  EXPECT_FALSE(config.end_kernels);
}

TEST(AgentConfiguration, AnUnknownKeyIsAnErrorThatNamesItAndItsLine) {
  EXPECT_EQ(message_of("[agent]\nnmae = \"x\"\n"), "agent.toml:2: unknown key agent.nmae");
  EXPECT_EQ(message_of("[agents]\nname = \"x\"\n"), "agent.toml:2: unknown key agents.name");
  EXPECT_NE(message_of("name = \"x\"\n").find("stands in no section"), std::string::npos);
}

TEST(AgentConfiguration, WrongTypesAndAmountsAreErrorsThatNameTheKey) {
  EXPECT_NE(message_of("[agent]\nkeep_kernels = \"maybe\"\n").find("agent.keep_kernels"), std::string::npos);
  EXPECT_NE(message_of("[agent]\nmax_containers = -1\n").find("agent.max_containers"), std::string::npos);
  EXPECT_NE(message_of("[agent]\nreserve_mem = \"lots\"\n").find("agent.reserve_mem"), std::string::npos);
  EXPECT_NE(message_of("[agent]\nname = [1]\n").find("agent.name"), std::string::npos);
  EXPECT_NE(message_of("[accelerator.shares]\nx = 0\n").find("accelerator.shares.x"), std::string::npos);
  EXPECT_NE(message_of("[agent\n").find("agent.toml:"), std::string::npos);
}

TEST(AgentConfiguration, TheEnvironmentWinsOverTheFileAndFlagsOverBoth) {
  AgentConfig config;
  ASSERT_TRUE(read("[agent]\nname = \"file\"\ngroup = \"file\"\ndata = \"file\"\n", config).ok());
  ASSERT_TRUE(
      read_agent_environment({"BERTH__AGENT__NAME=env", "BERTH__AGENT__GROUP=env", "PATH=/bin"}, config)
          .ok());
  ASSERT_TRUE(set_agent_key("agent.name", "flag", "command line", config).ok());
  EXPECT_EQ(config.name, "flag");
  EXPECT_EQ(config.group, "env");
  EXPECT_EQ(config.data, "file");
}

TEST(AgentConfiguration, AnUnknownVariableOfItsSectionsIsAnErrorAndOthersAreNotItsBusiness) {
  AgentConfig config;
  EXPECT_FALSE(read_agent_environment({"BERTH__AGENT__NMAE=x"}, config).ok());
  EXPECT_TRUE(read_agent_environment({"BERTH__API__ENDPOINT=x", "BERTH_DATA=/x"}, config).ok());
}

TEST(AgentConfiguration, NamesAreShortAndPlain) {
  for (const char* good : {"a", "a1", "gpu-7.rack_2"}) EXPECT_TRUE(check_agent_name(good).ok()) << good;
  for (const std::string& bad : {std::string(), std::string("-a"), std::string("a b"), std::string("a/b"),
                                 std::string("a:b"), std::string(101, 'a'), std::string("\xC3\xA4")})
    EXPECT_EQ(check_agent_name(bad).error().code, "invalid-name") << bad;
}

TEST(AgentConfiguration, WhatItAnnouncesIsTheMachineWithoutTheReserve) {
  AgentConfig config;
  config.name = "a1";
  config.cpu = 2 * kUnit;
  config.mem = 4ll << 30;
  config.accelerator = "mock:1x2";
  const auto announced = announce(config, "9.9");
  ASSERT_TRUE(announced.ok());
  EXPECT_EQ(announced->slots(0).amount(), 2 * kUnit);
  EXPECT_EQ(announced->slots(1).amount(), (4ll << 30) - (512ll << 20));
  EXPECT_EQ(announced->devices_size(), 1);
  EXPECT_EQ(announced->version(), "9.9");
}

constexpr const char* kKeyJson =
    R"({"cluster": "11111111-2222-3333-4444-555555555555", "agent": "a2", "generation": 3,
  "key": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"})";

TEST(AgentKeyFile, NamesClusterAgentAndGeneration) {
  const auto key = parse_agent_key(kKeyJson);
  ASSERT_TRUE(key.ok()) << to_string(key.error());
  EXPECT_EQ(to_string(key->cluster), "11111111-2222-3333-4444-555555555555");
  EXPECT_EQ(key->signer().writer(), "agent:a2");
  EXPECT_EQ(key->generation, 3u);
  EXPECT_EQ(key->key.size(), 32u);
  EXPECT_EQ(key->key[31], '\x1f');
}

TEST(AgentKeyFile, TheApisAnswerIsAKeyFileToo) {
  std::string json = kKeyJson;
  json.replace(json.find("\"a2\""), 4, R"({"name": "a2", "state": "NEW"})");
  EXPECT_EQ(parse_agent_key(json)->agent, "a2");
}

TEST(AgentKeyFile, NonsenseIsRefused) {
  for (const char* text : {"", "[]", "{}", R"({"cluster": "x", "agent": "a", "generation": 1, "key": ""})"})
    EXPECT_EQ(parse_agent_key(text).error().code, "key-file-invalid") << text;
}

TEST(AgentKeyFile, S9_AGenerationThatHasNoNextIsRefusedWithItsBounds) {
  const auto with = [](const std::string& generation) {
    std::string json = kKeyJson;
    json.replace(json.find(": 3,") + 2, 1, generation);
    return parse_agent_key(json);
  };
  EXPECT_EQ(with("4294967294")->generation, 4294967294u);
  for (const char* beyond : {"0", "-1", "4294967295", "4294967296"})
    EXPECT_EQ(with(beyond).error().code, "key-generation-out-of-range") << beyond;
  EXPECT_NE(with("4294967295").error().message.find("1 to 4294967294"), std::string::npos);
}

TEST(AgentKeyFile, OneThatOthersMayReadIsRefused) {
  const std::string path = testing::TempDir() + "berth-agent-key";
  std::ofstream(path) << kKeyJson;
  chmod(path.c_str(), 0644);
  EXPECT_EQ(read_agent_key(path).error().code, "key-file-open");
  chmod(path.c_str(), 0600);
  EXPECT_TRUE(read_agent_key(path).ok());
  std::filesystem::remove(path);
  EXPECT_EQ(read_agent_key(path).error().code, "key-file-missing");
}

TEST(AnnouncedCapacity, IsRememberedAndADamagedFileReadsAsNone) {
  const std::string path = testing::TempDir() + "berth-announced";
  Uuid cluster;
  cluster.bytes.fill(1);
  std::filesystem::remove(path);
  EXPECT_TRUE(read_announced(path, cluster).empty());
  v1::AgentJoined announced;
  announced.add_devices()->set_id("gpu0");
  ASSERT_TRUE(write_announced(path, cluster, announced).ok());
  ASSERT_EQ(read_announced(path, cluster).size(), 1u);
  Uuid other;
  other.bytes.fill(2);
  EXPECT_TRUE(read_announced(path, other).empty());
  std::ofstream(path, std::ios::app) << "x";
  EXPECT_TRUE(read_announced(path, cluster).empty());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace berth::agents
