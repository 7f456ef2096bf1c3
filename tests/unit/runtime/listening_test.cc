// Where the HTTP API may be served, and how.
#include "controller/runtime/listening.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "controller/api/console/static_files.h"
#include "controller/api/http/server.h"
#include "controller/api/login/sign_in.h"
#include "controller/runtime/api_node.h"
#include "tests/support/temp_dir.h"

namespace berth::controller {
namespace {

std::string code_of(const Listening& listening) {
  const auto options = server_options_of(listening, ::testing::TempDir());
  return options.ok() ? "" : options.error().code.word();
}

TEST(ListeningOfAServer, IsRefusedWithoutTlsWhereOthersCanConnect) {
  for (const char* address : {"0.0.0.0", "::", "192.0.2.7"}) {
    Listening listening;
    listening.address = address;
    EXPECT_EQ(code_of(listening), "tls-missing") << address;
    listening.insecure_http = true;
    EXPECT_EQ(code_of(listening), "") << address;
  }
  for (const char* address : {"127.0.0.1", "127.9.9.9", "::1"}) {
    Listening listening;
    listening.address = address;
    EXPECT_EQ(code_of(listening), "") << address;
  }
}

TEST(ListeningOfAServer, WantsACertificateAndItsKey) {
  Listening listening;
  listening.tls_certificate = "a.pem";
  EXPECT_EQ(code_of(listening), "tls-incomplete");
  listening.tls_key = ::testing::TempDir() + "/none.key";
  EXPECT_EQ(code_of(listening), "tls-key-unreadable");
}

TEST(ListeningOfAServer, RefusesAFifoOrAFolderAsCertificateInsteadOfWaitingForIt) {
  const testing::TempDir folder;
  const std::string fifo = folder.path() / "fifo", key = folder.path() / "key";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::ofstream(key) << "key";
  ASSERT_EQ(::chmod(key.c_str(), 0600), 0);
  Listening listening;
  for (const std::string& none : {fifo, folder.path().string(), folder.path().string() + "/none"}) {
    listening.tls_certificate = none;
    listening.tls_key = key;
    EXPECT_EQ(code_of(listening), "certificate-unreadable") << none;
    listening.tls_key = none;
    EXPECT_EQ(code_of(listening), "tls-key-unreadable") << none;
  }
}

TEST(ListeningOfAServer, SaysThatItsCertificateExpired) {
  EXPECT_EQ(certificate_check(kDay, kDay - 1).detail, "");
  EXPECT_EQ(certificate_check(kDay, 4 * kDay).detail, "it expired 3 days ago: clients refuse it");
  EXPECT_TRUE(certificate_check(kDay, kDay - 1).ok);
  EXPECT_FALSE(certificate_check(kDay, 4 * kDay).ok) << "no client gets through to it";
}

TEST(ListeningOfAServer, SaysWhichAgentsCanStartNoKernel) {
  projections::State state;
  projections::AgentRow agent;
  agent.name = "a1";
  agent.state = projections::AgentState::kAlive;
  state.agents.put(agent);
  EXPECT_EQ(agents_check(state).detail, "");
  agent.unfit = "start-failed: no cgroup";
  state.agents.put(agent);
  EXPECT_TRUE(agents_check(state).ok) << "another server would not be better";
  EXPECT_EQ(
      agents_check(state).detail,
      "unfit, so that no kernel can start there: a1 (start-failed: no cgroup); `berth agent check` on the "
      "machine says what to mend");
}

TEST(ListeningOfAServer, MakesACertificateWhereNoneIsGiven) {
  const std::string data = ::testing::TempDir() + "/berth-listening";
  Listening listening;
  listening.address = "0.0.0.0";
  listening.tls = true;
  const auto options = server_options_of(listening, data);
  ASSERT_TRUE(options.ok()) << to_string(options.error());
  ASSERT_TRUE(options->tls.has_value());
  EXPECT_TRUE(std::filesystem::exists(options->tls->key));
  EXPECT_EQ(endpoint_of(*options, 7410), "https://127.0.0.1:7410");
  std::filesystem::remove_all(data);
}

TEST(ListeningOfAServer, LeavesDescriptorsToTheStoreAndHalfTheConnectionsToOthers) {
  Listening listening;
  listening.connections_max = listening.connections_per_address_max = 1'000'000'000;
  const auto options = server_options_of(listening, ::testing::TempDir());
  ASSERT_TRUE(options.ok());
  EXPECT_LT(options->connections_max, 1'000'000'000u);
  EXPECT_EQ(options->connections_per_address_max, options->connections_max / 2);
}

TEST(SignInOfAServer, KnowsItsNamesAndTimesOrSaysWhatIsWrong) {
  Listening listening;
  api::ServerOptions server;
  const auto code = [&] {
    const auto options = sign_in_options_of(listening, server);
    return options ? std::string() : options.error().code.word();
  };
  EXPECT_EQ(code(), "");
  listening.public_urls = {"https://berth.example"};
  server.address = "192.0.2.7";
  EXPECT_EQ(sign_in_options_of(listening, server)->origins,
            (std::vector<std::string>{"https://berth.example", "http://192.0.2.7:7410"}));
  listening.browser_idle = "never";
  EXPECT_EQ(code(), "invalid-value");
  listening.browser_idle = "1h";
  listening.trusted_proxies = {"proxy.example"};
  EXPECT_EQ(code(), "invalid-value");
  listening.trusted_proxies = {"10.0.0.7"};
  listening.public_urls = {"berth.example"};
  EXPECT_EQ(code(), "invalid-url");
  listening.public_urls = {"https://berth.example"};
  listening.app_domain = "https://apps.berth.example/";
  EXPECT_EQ(sign_in_options_of(listening, server)->app_origin, "https://apps.berth.example");
  for (const char* wrong : {"apps.berth.example", "https://berth.example", "https://example"}) {
    listening.app_domain = wrong;
    EXPECT_EQ(code(), "invalid-url") << wrong;
  }
}

TEST(ConsoleOfAServer, IsAnErrorWhereItWasNamedAndIsNot) {
  Listening listening;
  listening.console = ::testing::TempDir() + "/no-console";
  EXPECT_EQ(console_of(listening).error().code, "console-unreadable");
}

TEST(MetricsTokenOfAServer, IsOfAPrivateFileAndLongEnough) {
  Listening listening;
  EXPECT_EQ(*metrics_token_of(listening), "");
  const berth::testing::TempDir folder;
  listening.metrics_token_file = (folder.path() / "token").string();
  const auto code = [&](const std::string& text, ::mode_t mode) {
    std::ofstream(listening.metrics_token_file) << text;
    ::chmod(listening.metrics_token_file.c_str(), mode);
    const auto token = metrics_token_of(listening);
    return token.ok() ? *token : token.error().code.word();
  };
  EXPECT_EQ(metrics_token_of(listening).error().code, "metrics-token-missing");
  EXPECT_EQ(code("0123456789abcdef\n", 0600), "0123456789abcdef");
  EXPECT_EQ(code("0123456789abcdef\n", 0644), "metrics-token-open");
  EXPECT_EQ(code("short\n", 0600), "metrics-token-invalid");
  EXPECT_EQ(code("0123456789 abcdef\n", 0600), "metrics-token-invalid");
  EXPECT_EQ(code("", 0600), "metrics-token-invalid");
}

}  // namespace
}  // namespace berth::controller
