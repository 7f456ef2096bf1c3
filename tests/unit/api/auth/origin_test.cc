// Host, Origin and Sec-Fetch-Site against configured names.
#include "controller/api/auth/origin.h"

#include <gtest/gtest.h>

namespace berth::controller::api {
namespace {

std::string origin_code(const std::optional<Problem>& problem) { return problem ? problem->code.word() : ""; }

PublicNames names() { return PublicNames({*origin_of_url("https://Berth.example/")}); }

TEST(Origin, LoopbackIsKnownWithThePortOfTheSocket) {
  for (const char* host : {"127.0.0.1:7410", "localhost:7410", "LOCALHOST:7410", "[::1]:7410"})
    EXPECT_EQ(origin_code(check_host(PublicNames(), {host, "", "", 7410})), "") << host;
  for (const char* host : {"", "127.0.0.1", "localhost:7411", "127.0.0.2:7410", "evil.example:7410",
                           "localhost.evil.example:7410", "localhost:7410.evil.example"})
    EXPECT_EQ(origin_code(check_host(PublicNames(), {host, "", "", 7410})), "misdirected-request") << host;
}

TEST(Origin, AConfiguredNameIsKnownWithItsOwnPort) {
  EXPECT_TRUE(names().knows_host("berth.example", 7410));
  EXPECT_TRUE(names().knows_host("BERTH.example:443", 7410));
  EXPECT_FALSE(names().knows_host("berth.example:7410", 7410));
  EXPECT_TRUE(names().knows_origin("https://berth.example", 7410));
  EXPECT_FALSE(names().knows_origin("http://berth.example", 7410));
}

TEST(Origin, AForeignNameThatAgreesWithItselfIsForeign) {
  const Provenance rebound{"evil.example:7410", "http://evil.example:7410", "same-origin", 7410};
  EXPECT_EQ(origin_code(check_host(names(), rebound)), "misdirected-request");
  EXPECT_EQ(origin_code(check_origin(names(), rebound)), "foreign-origin");
}

TEST(Origin, OfAWriteIsOursOrNotSent) {
  EXPECT_EQ(origin_code(check_origin(names(), {"localhost:7410", "", "", 7410})), "");
  EXPECT_EQ(origin_code(check_origin(names(), {"localhost:7410", "http://localhost:7410", "", 7410})), "");
  for (const char* origin : {"null", "http://localhost:7411", "http://localhost", "ftp://localhost:7410",
                             "localhost:7410", "http://localhost:7410.evil.example"})
    EXPECT_EQ(origin_code(check_origin(names(), {"localhost:7410", origin, "", 7410})), "foreign-origin")
        << origin;
}

TEST(Origin, AnotherSitesPageIsForeign) {
  for (const char* site : {"", "same-origin", "none"})
    EXPECT_EQ(origin_code(check_same_site({"", "", site, 7410})), "") << site;
  for (const char* site : {"same-site", "cross-site", "x"})
    EXPECT_EQ(origin_code(check_same_site({"", "", site, 7410})), "foreign-origin") << site;
}

TEST(Origin, AUrlIsReadAsBrowsersWriteItsOrigin) {
  EXPECT_EQ(*origin_of_url("HTTPS://Berth.Example:443/"), "https://berth.example");
  EXPECT_EQ(*origin_of_url("http://10.0.0.1:80"), "http://10.0.0.1");
  EXPECT_EQ(*origin_of_url("http://[::1]:7500"), "http://[::1]:7500");
  for (const std::string& bad :
       {std::string("berth.example"), std::string("https://"), std::string("https://a/b"),
        std::string("https://a b"), std::string("ftp://a"), "https://" + std::string(10'000, 'a')})
    EXPECT_EQ(origin_of_url(bad).error().code, "invalid-url") << bad;
}

TEST(Origin, ALinkNamesTheConfiguredOriginElseTheAskersHost) {
  EXPECT_EQ(names().origin_for({"localhost:7410", "", "", 7410}, false), "https://berth.example");
  EXPECT_EQ(PublicNames().origin_for({"localhost:7410", "", "", 7410}, false), "http://localhost:7410");
  EXPECT_EQ(PublicNames().origin_for({"evil.example", "", "", 7410}, true), "https://127.0.0.1:7410");
}

TEST(Origin, AProxyTellsTheClientLast) {
  EXPECT_EQ(forwarded_client("1.2.3.4, 10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(forwarded_client(" ::1 "), "::1");
  EXPECT_EQ(forwarded_client("::ffff:9.2.2.7"), "9.2.2.7") << "one client, however the proxy writes it";
  EXPECT_EQ(forwarded_client("1.2.3.4, unknown"), "");
  EXPECT_EQ(forwarded_client(""), "");
}

TEST(Origin, AnIPv6ClientIsItsNetwork) {
  EXPECT_EQ(network_of("10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(network_of("2001:db8::1"), network_of("2001:db8:0:0:ffff::2"));
  EXPECT_NE(network_of("2001:db8::1"), network_of("2001:db8:0:1::1"));
}

}  // namespace
}  // namespace berth::controller::api
