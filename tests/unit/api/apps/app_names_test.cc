#include "controller/api/apps/app_names.h"

#include <gtest/gtest.h>

namespace berth::controller::api {
namespace {

const AppId kJupyter{"jupyter", SessionId(*Uuid::parse("3f0c0000-0000-4000-8000-0000000000e1"))};
constexpr char kHost[] = "jupyter--3f0c00000000400080000000000000e1.localhost:7410";

TEST(AppNames, AnAppIsFoundByTheNameThatItWasGiven) {
  const AppNames names;
  EXPECT_EQ(names.origin_of(kJupyter, 7410, false, true), std::string("http://") + kHost);
  EXPECT_EQ(names.find(kHost, 7410), kJupyter);
  EXPECT_EQ(names.find("JUPYTER--3F0C00000000400080000000000000E1.LocalHost:7410", 7410), kJupyter);
}

TEST(AppNames, ADefaultPortIsLeftOut) {
  const AppNames names;
  const std::string origin = names.origin_of(kJupyter, 443, true, true);
  EXPECT_EQ(origin, "https://jupyter--3f0c00000000400080000000000000e1.localhost");
  EXPECT_EQ(names.find(origin.substr(8), 443), kJupyter);
}

TEST(AppNames, WithoutADomainWhoCameFromAfarGetsNoOrigin) {
  EXPECT_EQ(AppNames().origin_of(kJupyter, 7410, true, false), "");
}

TEST(AppNames, AllAppsAreOneSourceOfAPolicy) {
  EXPECT_EQ(AppNames().source_of_all(7410, false, true), "http://*.localhost:7410");
  EXPECT_EQ(AppNames().source_of_all(443, true, true), "https://*.localhost");
  EXPECT_EQ(AppNames().source_of_all(7410, false, false), "");
  EXPECT_EQ(AppNames("https://apps.berth.example:8443").source_of_all(7410, false, true),
            "https://*.apps.berth.example:8443");
}

TEST(AppNames, AConfiguredDomainHasItsOwnPort) {
  const AppNames names("https://apps.berth.example:8443");
  const std::string origin = names.origin_of(kJupyter, 7410, false, false);
  EXPECT_EQ(origin, "https://jupyter--3f0c00000000400080000000000000e1.apps.berth.example:8443");
  EXPECT_EQ(names.find(origin.substr(8), 7410), kJupyter);
  EXPECT_FALSE(names.find("jupyter--3f0c00000000400080000000000000e1.apps.berth.example", 7410));
}

TEST(AppNames, WhatIsBelowTheNamesOfAppsIsNeverTheConsole) {
  const AppNames names("https://apps.berth.example");
  for (const char* host : {"x.localhost:7410", "a.b.localhost", "x.apps.berth.example", "--.localhost:7410",
                           "x.localhost.:7410", "x.apps.berth.example."}) {
    EXPECT_TRUE(names.is_of_apps(host)) << host;
    EXPECT_FALSE(names.find(host, 7410)) << host;
  }
  for (const char* host : {"localhost:7410", "apps.berth.example", "notlocalhost", "xapps.berth.example", ""})
    EXPECT_FALSE(names.is_of_apps(host)) << host;
}

TEST(AppNames, AHostThatIsNearlyAnAppsIsNone) {
  const AppNames names;
  const std::string id = "3f0c00000000400080000000000000e1";
  for (const std::string& host :
       {"jupyter-" + id + ".localhost:7410", "--" + id + ".localhost:7410", "a----" + id + ".localhost:7410",
        "-a--" + id + ".localhost:7410", "jupyter--" + id + "0.localhost:7410",
        "jupyter--" + id.substr(1) + ".localhost:7410", "jupyter--" + id + ".localhost:7411",
        "jupyter--" + id + ".localhost.:7410", "x.jupyter--" + id + ".localhost:7410",
        "jup_yter--" + id + ".localhost:7410", std::string(30, 'a') + "--" + id + ".localhost:7410"})
    EXPECT_FALSE(names.find(host, 7410)) << host;
}

TEST(AppNames, ANameIsOfSmallLettersDigitsAndSingleDashes) {
  for (const char* good : {"jupyter", "8888", "a-b", "a"}) EXPECT_TRUE(is_app_name(good)) << good;
  for (const char* bad : {"", "-a", "a-", "a--b", "A", "a.b", "a_b"}) EXPECT_FALSE(is_app_name(bad)) << bad;
  EXPECT_TRUE(is_app_name(std::string(kAppNameMax, 'a')));
  EXPECT_FALSE(is_app_name(std::string(kAppNameMax + 1, 'a')));
}

}  // namespace
}  // namespace berth::controller::api
