// Where the server and the key come from: flag > environment > file > default.
#include <gtest/gtest.h>

#include "ops/cli/settings.h"

namespace berth::cli {
namespace {

struct Machine {
  Flags flags;
  std::map<std::string, std::string> variables;
  std::optional<std::string> file;
  std::map<std::string, std::string> files;
  std::map<std::string, Credentials> keys;

  Outcome<Settings> load() {
    std::vector<std::string> names;
    for (const auto& [name, value] : variables) names.push_back(name);
    return Settings::load(
        flags,
        [this](const char* name) {
          const auto found = variables.find(name);
          return found == variables.end() ? std::nullopt : std::optional(found->second);
        },
        names, "c.toml", file);
  }
  Outcome<Server> whole_server() {
    const auto settings = load();
    if (!settings) return settings.failure();
    return find_server(*settings, [this](const std::string& path) {
      const auto text = files.find(path);
      return text == files.end() ? std::nullopt : std::optional(text->second);
    });
  }
  std::string server() {
    const auto settings = load();
    if (!settings) return settings.failure().message;
    const auto found = whole_server();
    return found ? found->endpoint.value : found.failure().code.word();
  }
  std::string key() {
    const auto found = find_credentials(*load(), [this](const std::string& path) -> Result<Credentials> {
      const auto text = keys.find(path);
      if (text == keys.end()) return make_error("key-file-missing", "there is no " + path);
      return text->second;
    });
    return found ? found->access_key : found.failure().message;
  }
};

TEST(Settings, FallBackToLoopbackAndTheDefaultDataFolder) {
  Machine m;
  m.keys["/var/lib/berth/keys/admin.json"] = {"admin", "s"};
  EXPECT_EQ(m.server(), "http://127.0.0.1:7410");
  EXPECT_EQ(m.key(), "admin");
}

TEST(Settings, LetAFlagBeatTheEnvironmentAndThatTheFile) {
  Machine m;
  m.file = "[api]\nendpoint = \"http://file:1\"\n";
  EXPECT_EQ(m.server(), "http://file:1");
  m.variables["BERTH__API__ENDPOINT"] = "http://env:2";
  EXPECT_EQ(m.server(), "http://env:2");
  m.flags["api.endpoint"] = "http://flag:3";
  EXPECT_EQ(m.server(), "http://flag:3");
}

TEST(Settings, LetADataFolderStandForItsAddressAndKeyAtItsLevel) {
  Machine m;
  m.variables["BERTH__API__ENDPOINT"] = "http://env:2";
  m.variables["BERTH_ACCESS_KEY"] = "env";
  m.variables["BERTH_SECRET_KEY"] = "s";
  m.flags["data.dir"] = "/tmp/b";
  m.files["/tmp/b/berth.endpoint"] = "http://127.0.0.1:7500\n";
  m.keys["/tmp/b/keys/admin.json"] = {"of-b", "s"};
  EXPECT_EQ(m.server(), "http://127.0.0.1:7500");
  EXPECT_EQ(m.key(), "of-b");
}

TEST(Settings, FindTheCertificateOfADataFolder) {
  Machine m;
  m.flags["data.dir"] = "/tmp/b";
  const std::string fingerprint = "sha256:" + std::string(64, 'a');
  m.files["/tmp/b/berth.endpoint"] = "https://127.0.0.1:7500\n" + fingerprint + "\n";
  const auto server = m.whole_server();
  ASSERT_TRUE(server);
  EXPECT_EQ(server->endpoint.value, "https://127.0.0.1:7500");
  EXPECT_TRUE(server->tls);
  EXPECT_EQ(server->fingerprint, fingerprint);
}

TEST(Settings, PinTheCertificateOfAnHttpsServer) {
  Machine m;
  m.flags["api.endpoint"] = "https://a:1";
  m.file = "[api]\nfingerprint = \"sha256:" + std::string(64, 'b') + "\"\n";
  EXPECT_EQ(m.whole_server()->fingerprint, "sha256:" + std::string(64, 'b'));
  m.flags["api.fingerprint"] = "AB:CD";
  EXPECT_FALSE(m.whole_server());
}

TEST(Settings, RefuseToSendWithoutTlsWhereACertificateIsNamed) {
  const std::string fingerprint = "sha256:" + std::string(64, 'b');
  Machine m;
  m.flags["api.endpoint"] = "a:1";
  m.file = "[api]\nfingerprint = \"" + fingerprint + "\"\n";
  EXPECT_TRUE(m.whole_server()) << "the file's is of another server";
  m.flags["api.fingerprint"] = fingerprint;
  EXPECT_FALSE(m.whole_server());
  m.flags["api.endpoint"] = "https://a:1";
  EXPECT_TRUE(m.whole_server());
}

TEST(Settings, SayThatNothingRunsOnADataFolderWithoutAnEndpoint) {
  Machine m;
  m.flags["data.dir"] = "/tmp/b";
  EXPECT_EQ(m.server(), "not-running");
  EXPECT_TRUE(m.whole_server().failure().hint.starts_with("start one with: berth up --data /tmp/b"));
}

TEST(Settings, NameTheUnitWhoseDataFolderHasNoEndpoint) {
  Machine m;
  m.flags["data.dir"] = "/var/lib/berth-controller";
  m.files["/lib/systemd/system/berth-controller.service"] = "[Unit]\n";
  const std::string hint = m.whole_server().failure().hint;
  EXPECT_TRUE(hint.starts_with("systemctl status berth-controller and journalctl -u berth-controller "))
      << hint;
}

TEST(Settings, RefuseAnUnknownKeyOfTheFileByItsNameAndLine) {
  Machine m;
  m.file = "[api]\nendpoint = \"http://a:1\"\nendpiont = \"x\"\n";
  EXPECT_EQ(m.server(), "c.toml:3: unknown key 'api.endpiont'");
}

TEST(Settings, RefuseAnUnknownVariableOfOurs) {
  Machine m;
  m.variables["BERTH__API__ENDPIONT"] = "x";
  EXPECT_EQ(m.server(), "unknown environment variable BERTH__API__ENDPIONT");
}

TEST(Settings, RefuseAFileThatIsNotToml) {
  Machine m;
  m.file = "[api\n";
  const auto settings = m.load();
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.failure().exit, kUsage);
}

TEST(Settings, WantBothHalvesOfAKeyPair) {
  Machine m;
  m.variables["BERTH_ACCESS_KEY"] = "only";
  EXPECT_EQ(m.key(), "of access and secret key only one is set, by BERTH_ACCESS_KEY");
}

TEST(Settings, NameTheKeyFileThatIsNotThere) {
  Machine m;
  m.flags["api.key_file"] = "/tmp/none.json";
  EXPECT_EQ(m.key(), "there is no /tmp/none.json (--key-file)");
}

TEST(Endpoint, TakesHostsAndPortsAndNothingElse) {
  const auto parse = [](const std::string& text) {
    const auto server = parse_endpoint({text, Origin::kFlag, "--endpoint"});
    return server ? server->host + " " + server->port : "refused";
  };
  EXPECT_EQ(parse("http://127.0.0.1:7410"), "127.0.0.1 7410");
  EXPECT_EQ(parse("berth.local"), "berth.local 7410");
  EXPECT_EQ(parse("http://[::1]:80/"), "[::1] 80");
  EXPECT_EQ(parse("https://localhost"), "localhost 7410");
  for (const char* bad : {"ftp://a:1", "http://a:1/path", "http://:1", "a:0", "a:65536", "a:x", "a:", ""})
    EXPECT_EQ(parse(bad), "refused") << bad;
}

}  // namespace
}  // namespace berth::cli
