#include "agents/egress/registry_search.h"

#include <gtest/gtest.h>

namespace berth::agents {
namespace {

// Tools that print what the test says. Names that begin with "own" lead into a private network.
SearchTools tools(const std::string& of_python, const std::string& of_npm, int code = 0) {
  return {[=](const std::vector<std::string>& words) {
            return ToolResult{true, code, words[0] == "npm" ? of_npm : of_python, ""};
          },
          [](const std::string& host) { return host.starts_with("own"); }};
}

RegistrySettings open_settings() {
  RegistrySettings settings;
  settings.asks_pip = settings.asks_npm = true;
  return settings;
}

TEST(RegistrySearch, TheToolsDefaultsAndTheHostsOfFilesAreAllowed) {
  const Found found = search_registries(
      open_settings(),
      tools("index https://index.test/simple\nfile https://files.test/\n", "https://npm.test/\n"));
  EXPECT_EQ(found.allowed.text(), "index.test:443, files.test:443, npm.test:443");
  EXPECT_TRUE(found.whole);
  EXPECT_TRUE(found.notes.empty());
}

TEST(RegistrySearch, OnlyFilesOfAPrivateIndexMayLieInAPrivateNetwork) {
  const auto may_be_private = [](const std::string& index) {
    const Found found = search_registries(
        open_settings(), tools("index https://" + index + "/s\nfile https://own-files.test/\n", ""));
    return found.allowed.find("own-files.test", 443)->private_;
  };
  EXPECT_TRUE(may_be_private("own.test"));
  EXPECT_FALSE(may_be_private("index.test"));
}

TEST(RegistrySearch, APageCannotFillTheList) {
  std::string page = "index https://index.test/simple\n";
  for (int i = 0; i < 1000; ++i) page += "file https://f" + std::to_string(i) + ".test/\n";
  EXPECT_LE(search_registries(open_settings(), tools(page, "")).allowed.entries().size(), 20u);
}

TEST(RegistrySearch, WhatIsNoAnswerAllowsNothing) {
  for (const char* text : {"", "\n\n", "index", "file ", "index ftp://x.test/\nfile file:///etc/passwd",
                           "no-pip -", "index https://\nfile https://[::1]/", "\xff\xfe"})
    EXPECT_EQ(search_registries(open_settings(), tools(text, text)).allowed.text(), "nothing") << text;
  const Found failed =
      search_registries(open_settings(), tools("index https://x.test/", "https://x.test/", 1));
  EXPECT_EQ(failed.allowed.text(), "nothing");
  EXPECT_EQ(failed.notes.size(), 2u);
}

TEST(RegistrySearch, AnIndexThatIsSilentIsAskedAgain) {
  const Found found =
      search_registries(open_settings(), tools("index https://i.test/\nsilent https://i.test/\n", ""));
  EXPECT_FALSE(found.whole);
  EXPECT_EQ(found.allowed.text(), "i.test:443");
}

TEST(RegistrySearch, NobodyIsAskedWhereSettingsLeaveNothingOpen) {
  const SearchTools none{[](const std::vector<std::string>& words) {
                           ADD_FAILURE() << words[0];
                           return ToolResult();
                         },
                         nullptr};
  RegistrySettings settings;
  ASSERT_TRUE(settings.allowed.add_by_hand("a.test:443").ok());
  EXPECT_EQ(search_registries(settings, none).allowed.text(), "a.test:443");
}

TEST(AllowList, APersonsTextHasEntriesBetweenCommasAndBlanks) {
  EXPECT_EQ(parse_allow_list(" a.test:443,*.b.test:80\n c.test:1 ")->text(),
            "a.test:443, *.b.test:80, c.test:1");
  EXPECT_EQ(parse_allow_list("none")->text(), "nothing");
  EXPECT_EQ(parse_allow_list("a.test:443, odd").error().code, "egress-entry-wrong");
}

}  // namespace
}  // namespace berth::agents
