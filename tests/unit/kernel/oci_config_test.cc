#include "agents/kernel/oci_config.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/json.hpp>
#include <set>

namespace berth::agents {
namespace {

namespace json = boost::json;

KernelSpec half_a_core() {
  KernelSpec spec;
  spec.hostname = "main1";
  spec.cpu = kUnit / 2;
  spec.mem = 1 << 30;
  spec.shm = 64 << 20;
  spec.command = {"python3", "-c", "1"};
  return spec;
}

OciSettings settings() {
  return {.root = "/mnt", .init_path = "/i", .kernel_dir = "/k", .cgroup_path = "/berth-x/k", .image = {}};
}

TEST(OciConfig, HalfACoreIsAQuotaOfFiftyMillisecondsInAHundred) {
  const json::value config = make_oci_config(half_a_core(), settings());
  const json::value& cpu = config.at_pointer("/linux/resources/cpu");
  EXPECT_EQ(cpu.at("quota").as_int64(), 50'000);
  EXPECT_EQ(cpu.at("period").as_int64(), 100'000);
}

TEST(OciConfig, MemoryAndSwapTogetherAreTheMemoryAskedFor) {
  const json::value config = make_oci_config(half_a_core(), settings());
  EXPECT_EQ(config.at_pointer("/linux/resources/memory/limit").as_int64(), 1 << 30);
  EXPECT_EQ(config.at_pointer("/linux/resources/memory/swap").as_int64(), 1 << 30);
  OciSettings no_swap = settings();
  no_swap.limits_swap = false;
  const json::value other = make_oci_config(half_a_core(), no_swap);
  EXPECT_FALSE(other.at_pointer("/linux/resources/memory").as_object().contains("swap"));
}

TEST(OciConfig, TheInitIsTheFirstProcessAndHasTheCommand) {
  const json::value config = make_oci_config(half_a_core(), settings());
  EXPECT_EQ(json::serialize(config.at_pointer("/process/args")),
            R"(["/run/berth/init","--exit-fd","3","--door-fd","4","--folder","/","--","python3","-c","1"])");
  KernelSpec waits = half_a_core();
  waits.command.clear();
  const json::value interactive = make_oci_config(waits, settings());
  EXPECT_EQ(interactive.at_pointer("/process/args").as_array().size(), 7u);
}

KernelSpec with_automatic_folder() {
  KernelSpec spec = half_a_core();
  spec.image = "index.test:5000/ml/python:3.11";
  spec.mounts = {{.volume_root = "/v", .folder = "f", .target = kAutomaticTarget, .automatic = true}};
  return spec;
}

TEST(OciConfig, AnAutomaticFolderHasPythonsPackagesOfThatImageAndTheDotfiles) {
  OciSettings ours = settings();
  ours.image.env = {"PATH=/usr/bin"};
  ours.image.home = "/home/work";
  const json::value config = make_oci_config(with_automatic_folder(), ours);
  const std::string base = "/home/work/.automatic/python/index.test=5000+ml+python=3.11";
  const std::string env = json::serialize(config.at_pointer("/process/env"));
  EXPECT_NE(env.find("\"PYTHONUSERBASE=" + base + "\""), std::string::npos) << env;
  EXPECT_NE(env.find("\"PATH=" + base + "/bin:/usr/bin\""), std::string::npos) << env;
  const std::string args = json::serialize(config.at_pointer("/process/args"));
  EXPECT_NE(args.find(R"("--dotfiles","/home/work","--","python3")"), std::string::npos) << args;
  const std::string plain = json::serialize(make_oci_config(half_a_core(), ours));
  EXPECT_EQ(plain.find("PYTHONUSERBASE"), std::string::npos);
  EXPECT_EQ(plain.find("--dotfiles"), std::string::npos);
}

TEST(OciConfig, WhatAUserOrAnImageSaysOfThemGoesBeforeAnAutomaticFolder) {
  OciSettings ours = settings();
  ours.image.env = {"PATH=/usr/bin", "PYTHONUSERBASE=/opt/base"};
  ours.image.home = "/home/work";
  KernelSpec spec = with_automatic_folder();
  std::string config = json::serialize(make_oci_config(spec, ours));
  EXPECT_NE(config.find("\"PYTHONUSERBASE=/opt/base\""), std::string::npos);
  EXPECT_NE(config.find("\"PATH=/usr/bin\""), std::string::npos);
  ours.image.env.pop_back();
  spec.env = {{"PATH", "/own"}, {"HOME", "/home/work/data"}};
  config = json::serialize(make_oci_config(spec, ours));
  EXPECT_NE(config.find("\"PATH=/own\""), std::string::npos);
  EXPECT_EQ(config.find("--dotfiles"), std::string::npos);
}

TEST(OciConfig, OnlyAKernelWithEgressIsToldOfItsWayOutAndAUsersVariableWins) {
  OciSettings with_egress = settings();
  with_egress.image.env = {"PIP_INDEX_URL=https://image.test/"};
  with_egress.egress = {{"HTTPS_PROXY=http://127.0.0.1:2001", "PIP_INDEX_URL=https://index.test/"}, "/d/ca"};
  KernelSpec spec = half_a_core();
  spec.env = {{"HTTPS_PROXY", "http://own.test"}};
  const json::value none = make_oci_config(spec, with_egress);
  EXPECT_EQ(json::serialize(none).find("index.test"), std::string::npos);
  EXPECT_EQ(json::serialize(none).find(kCaBundleInside), std::string::npos);
  spec.egress = Egress::kRegistries;
  const json::value config = make_oci_config(spec, with_egress);
  const std::string env = json::serialize(config.at_pointer("/process/env"));
  EXPECT_NE(env.find("PIP_INDEX_URL=https://index.test/"), std::string::npos) << env;
  EXPECT_NE(env.find("HTTPS_PROXY=http://own.test"), std::string::npos) << env;
  EXPECT_EQ(env.find("127.0.0.1"), std::string::npos) << env;
  EXPECT_EQ(env.find("image.test"), std::string::npos) << env;
  const json::value& bundle = config.at("mounts").as_array().back();
  EXPECT_EQ(bundle.at("destination").as_string(), kCaBundleInside);
  EXPECT_EQ(bundle.at("source").as_string(), "/d/ca");
  EXPECT_NE(json::serialize(bundle.at("options")).find("\"ro\""), std::string::npos);
}

TEST(OciConfig, TheImagesEnvironmentYieldsToTheOrders) {
  KernelSpec spec = half_a_core();
  spec.env = {{"LANG", "de_DE.UTF-8"}, {"A", "1"}};
  OciSettings with_image = settings();
  with_image.image.env = {"PATH=/opt/bin", "LANG=C.UTF-8", "PY=3"};
  with_image.image.home = "/home/work";
  const std::string env = json::serialize(make_oci_config(spec, with_image).at("process").at("env"));
  EXPECT_EQ(env, R"(["PATH=/opt/bin","PY=3","LANG=de_DE.UTF-8","A=1","HOSTNAME=main1","HOME=/home/work"])");
  spec.env = {{"HOME", "/elsewhere"}};
  const json::value own = make_oci_config(spec, with_image);
  EXPECT_EQ(json::serialize(own.at("process").at("env")).find("/home/work"), std::string::npos);
}

TEST(OciConfig, ProgramsAreTheImagesUserWithoutCapabilitiesUnlessItIsRoot) {
  OciSettings with_image = settings();
  with_image.image.uid = with_image.image.gid = 1000;
  with_image.image.groups = {27, 2000};
  with_image.image.folder = "/home/work";
  const json::value config = make_oci_config(half_a_core(), with_image);
  EXPECT_EQ(json::serialize(config.at_pointer("/process/user")),
            R"({"uid":1000,"gid":1000,"additionalGids":[27,2000]})");
  for (const char* set : {"bounding", "effective", "permitted", "inheritable", "ambient"})
    EXPECT_TRUE(config.at_pointer("/process/capabilities").at(set).as_array().empty()) << set;
  EXPECT_EQ(config.at_pointer("/process/args/6").as_string(), "/home/work");
  EXPECT_EQ(config.at_pointer("/process/cwd").as_string(), "/")
      << "the runtime enters no folder of the image";
  const json::value as_root = make_oci_config(half_a_core(), settings());
  EXPECT_EQ(as_root.at_pointer("/process/capabilities/effective").as_array().size(), 10u);
}

TEST(OciConfig, TmpIsNoMountSoThatItLiesOnTheKernelsLayer) {
  const json::value config = make_oci_config(half_a_core(), settings());
  for (const json::value& mount : config.at("mounts").as_array())
    EXPECT_NE(mount.at("destination").as_string(), "/tmp");
}

TEST(OciConfig, EveryNamespaceIsTheKernelsOwn) {
  const json::value config = make_oci_config(half_a_core(), settings());
  EXPECT_EQ(
      json::serialize(config.at_pointer("/linux/namespaces")),
      R"([{"type":"user"},{"type":"pid"},{"type":"mount"},{"type":"uts"},{"type":"ipc"},{"type":"cgroup"},{"type":"network"}])");
  EXPECT_TRUE(config.at_pointer("/process/noNewPrivileges").as_bool());
  EXPECT_EQ(config.at_pointer("/linux/seccomp/defaultAction").as_string(), "SCMP_ACT_ERRNO");
}

TEST(OciConfig, S8_OnlyTheMachinesOwnCallsAndFourFamiliesOfSockets) {
  const json::value config = make_oci_config(half_a_core(), settings());
  EXPECT_EQ(config.at_pointer("/linux/seccomp/architectures").as_array().size(), 1u);
  std::multiset<std::int64_t> families;
  for (const json::value& rule : config.at_pointer("/linux/seccomp/syscalls").as_array()) {
    const std::string names = json::serialize(rule.at("names"));
    EXPECT_EQ(names.find("socketcall"), std::string::npos);
    if (names.find("\"socket\"") == std::string::npos) continue;
    EXPECT_EQ(rule.at_pointer("/args/0/op").as_string(), "SCMP_CMP_EQ");
    families.insert(rule.at_pointer("/args/0/value").to_number<std::int64_t>());
  }
  EXPECT_EQ(families, (std::multiset<std::int64_t>{AF_UNIX, AF_INET, AF_INET6, AF_NETLINK}));
}

TEST(OciConfig, AProgramOpensAThousandFilesUnlessItAsksForMoreAndNeverMoreThanTheMachineLetsIt) {
  const auto bounds_with = [](std::uint64_t hard) {
    OciSettings ours = settings();
    ours.files_hard = hard;
    return json::serialize(make_oci_config(half_a_core(), ours).at("process").at("rlimits").at(1));
  };
  EXPECT_EQ(bounds_with(524'288), R"({"type":"RLIMIT_NOFILE","hard":524288,"soft":1024})");
  EXPECT_EQ(bounds_with(512), R"({"type":"RLIMIT_NOFILE","hard":512,"soft":512})");
}

TEST(OciConfig, S8_NoFileOfTheHostCanBeWrittenThroughAMount) {
  const json::value config = make_oci_config(half_a_core(), settings());
  for (const json::value& mount : config.at("mounts").as_array())
    if (mount.at("type").as_string() == "bind") {
      EXPECT_NE(json::serialize(mount.at("options")).find("\"ro\""), std::string::npos) << mount;
    }
}

}  // namespace
}  // namespace berth::agents
