#include "agents/egress/registry_settings.h"

#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace berth::agents {
namespace {

namespace fs = std::filesystem;

class Settings : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(places_.root + path).parent_path());
    std::ofstream(places_.root + path, std::ios::binary) << text;
  }
  RegistrySettings read() { return read_registry_settings(places_); }
  bool allows(const std::string& host, std::uint16_t port = 443) {
    return read().allowed.find(host, port) != nullptr;
  }

  const berth::testing::TempDir dir_;
  const std::string folder_ = dir_.path().string();
  SettingsPlaces places_{folder_, {{"HOME", "/home/me"}}};
};

TEST_F(Settings, WithoutAnyTheToolsAreAskedAndNothingIsAllowed) {
  const RegistrySettings settings = read();
  EXPECT_TRUE(settings.asks_pip);
  EXPECT_TRUE(settings.asks_npm);
  EXPECT_EQ(settings.allowed.text(), "nothing");
  EXPECT_EQ(settings.ca_bundle, "");
  EXPECT_TRUE(settings.variables.empty());
}

TEST_F(Settings, AreFoundInTheUsersHomeAlsoByAServiceThatHasNoHome) {
  const char* const before = std::getenv("HOME");
  const std::string kept = before == nullptr ? "" : before;
  unsetenv("HOME");
  places_.variables = own_places().variables;
  if (before != nullptr) setenv("HOME", kept.c_str(), 1);
  const passwd* const user = getpwuid(geteuid());
  ASSERT_NE(user, nullptr);
  for (const char* name : {"PIP_INDEX_URL", "PIP_CONFIG_FILE", "XDG_CONFIG_HOME", "NPM_CONFIG_USERCONFIG"})
    places_.variables.erase(name);
  write(std::string(user->pw_dir) + "/.config/pip/pip.conf",
        "[global]\nindex-url = https://own.test/simple\n");
  write(std::string(user->pw_dir) + "/.npmrc", "registry=https://npm.test/\n");
  EXPECT_TRUE(allows("own.test"));
  EXPECT_TRUE(allows("npm.test"));
}

TEST_F(Settings, PipsFilesAndVariablesOverrideEachOtherInPipsOrder) {
  write("/etc/pip.conf", "[global]\nindex-url = https://first.test/simple\n");
  EXPECT_TRUE(allows("first.test"));
  write("/home/me/.config/pip/pip.conf",
        "# comment\n[global]\nINDEX_URL: https://Second.test:8443/simple\nextra-index-url =\n"
        "  https://a.test/s\n  http://b.test/s\n[list]\nindex-url = https://not.test/\n");
  const RegistrySettings both = read();
  EXPECT_EQ(both.allowed.text(), "second.test:8443, a.test:443, b.test:80");
  EXPECT_FALSE(both.asks_pip);
  EXPECT_EQ(both.variables,
            (std::vector<std::string>{"PIP_INDEX_URL=https://second.test:8443/simple",
                                      "PIP_EXTRA_INDEX_URL=https://a.test/s http://b.test/s"}));
  places_.variables["PIP_INDEX_URL"] = "https://third.test/";
  EXPECT_TRUE(allows("third.test"));
  EXPECT_FALSE(allows("second.test", 8443));
}

TEST_F(Settings, APasswordOfTheOperatorsGoesIntoNoKernel) {
  places_.variables["PIP_INDEX_URL"] = "https://me:hush@index.test/simple";
  write("/home/me/.npmrc", "registry=https://x:hush@npm.test/\n//npm.test/:_authToken=hush\n");
  const RegistrySettings settings = read();
  EXPECT_EQ(settings.allowed.text(), "index.test:443, npm.test:443");
  for (const std::string& variable : egress_variables(settings, true))
    EXPECT_EQ(variable.find("hush"), std::string::npos) << variable;
  ASSERT_EQ(settings.notes.size(), 2u);
  EXPECT_EQ(settings.notes[0], "the password of index.test is not given to kernels");
}

TEST_F(Settings, NpmsRegistryItsScopesAndItsVariablesAreRead) {
  places_.variables["NAME"] = "own";
  write("/home/me/.npmrc",
        "; c\nregistry = \"https://${NAME}.test/\"\n@us:registry=https://scope.test\nodd\n=\n");
  EXPECT_EQ(read().allowed.text(), "own.test:443, scope.test:443");
  places_.variables["npm_config_REGISTRY"] = "https://env.test/";
  EXPECT_EQ(read().allowed.text(), "env.test:443, scope.test:443");
}

TEST_F(Settings, AptsListsAndStanzasAreRead) {
  write("/etc/apt/sources.list",
        "deb [arch=amd64 signed-by=/k] http://deb.test/debian stable main # x\ndeb-src http://src.test/ a b\n"
        "deb cdrom:[Disc]/ stable main\n#deb http://off.test/ a\ndeb [broken\ndeb\n");
  write("/etc/apt/sources.list.d/a.sources",
        "Types: deb\nURIs: http://one.test/d\n https://two.test/d\nSuites: x\n\nEnabled: no\nURIs: "
        "http://not.test\n");
  write("/etc/apt/sources.list.d/b.txt", "deb http://not.test/ a b\n");
  EXPECT_EQ(read().allowed.text(), "deb.test:80, one.test:80, two.test:443");
}

TEST_F(Settings, OddContentIsSkipped) {
  write("/etc/pip.conf",
        std::string("[global\nindex-url\n=\n[]\n\0\xff\n[global]\nindex-url = ftp://f.test/\n", 60));
  write("/home/me/.npmrc", "registry=${\nregistry=${X\n@:registry=\n" + std::string(100'000, '$'));
  write("/etc/apt/sources.list", std::string(1 << 20, '['));
  write("/etc/apt/sources.list.d/a.sources", ":\n:::\nURIs\n URIs: x\nURIs:\n\n\n");
  EXPECT_EQ(read().allowed.text(), "nothing");
  write("/etc/pip.conf", "[global]\nindex-url = https://big.test/\n" + std::string(5 << 20, '#'));
  EXPECT_FALSE(allows("big.test")) << "a file of more than 4 MiB is not read";
}

TEST_F(Settings, ThousandsOfRegistriesAreBounded) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "deb http://h" + std::to_string(i) + ".test/ a b\n";
  write("/etc/apt/sources.list", text);
  EXPECT_EQ(read().allowed.entries().size(), kAllowedMax);
}

TEST_F(Settings, ABundleThatHoldsAKeyIsNotGivenToKernels) {
  write("/own.pem", "-----BEGIN PRIVATE KEY-----\nx\n-----BEGIN CERTIFICATE-----\n");
  write("/etc/ssl/cert.pem", "-----BEGIN CERTIFICATE-----\n");
  places_.variables["PIP_CERT"] = "/own.pem";
  const RegistrySettings settings = read();
  EXPECT_EQ(settings.ca_bundle, folder_ + "/etc/ssl/cert.pem");
  ASSERT_EQ(settings.notes.size(), 1u);
  const auto copied = copy_bundle(settings, folder_);
  ASSERT_TRUE(copied.ok()) << to_string(copied.error());
  struct stat info {};
  ASSERT_EQ(stat(copied->c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644u);
  EXPECT_EQ(copy_bundle(settings, folder_ + "/none").error().code, "ca-bundle-failed");
  EXPECT_EQ(*copy_bundle(RegistrySettings(), folder_), "");
}

}  // namespace
}  // namespace berth::agents
