#include "controller/api/apps/app_headers.h"

#include <gtest/gtest.h>

namespace berth::controller::api {
namespace {

TEST(AppHeaders, AnAppNeverSeesWhatOpensBerth) {
  const HeaderFields sent = {{"Host", "a"},
                             {"Authorization", "BERTH-HMAC-SHA256 key=a"},
                             {"X-Berth-Date", "now"},
                             {"X-Berth-CSRF", "token"},
                             {"Cookie", "berth_1a2b3c4d=secret; _xsrf=1; __Host-berth_app=x; theme=dark"},
                             {"COOKIE", "Berth_App=x; more=1"},
                             {"Accept", "*/*"}};
  EXPECT_EQ(fields_for_app(sent),
            (HeaderFields{{"Host", "a"}, {"Accept", "*/*"}, {"Cookie", "_xsrf=1; theme=dark; more=1"}}));
}

TEST(AppHeaders, ACookieHeaderOfOursAloneIsLeftOut) {
  EXPECT_EQ(fields_for_app({{"Cookie", "berth_1a2b3c4d=secret"}}), HeaderFields{});
}

TEST(AppHeaders, WhatHoldsForOneConnectionGoesNoFurther) {
  const HeaderFields sent = {{"Connection", "keep-alive, X-Hop , content-length"},
                             {"Keep-Alive", "5"},
                             {"X-Hop", "1"},
                             {"TE", "trailers"},
                             {"Upgrade", "websocket"},
                             {"Transfer-Encoding", "chunked"},
                             {"Proxy-Authorization", "a"},
                             {"Content-Length", "3"},
                             {"X-Kept", "1"}};
  const HeaderFields kept = {{"Content-Length", "3"}, {"X-Kept", "1"}};
  EXPECT_EQ(fields_for_app(sent), kept);
  EXPECT_EQ(fields_from_app(sent), kept);
}

TEST(AppHeaders, NobodySaysWhereTheRequestCameFrom) {
  EXPECT_EQ(fields_for_app({{"X-Forwarded-For", "1"},
                            {"x-forwarded-host", "b"},
                            {"Forwarded", "for=1"},
                            {"Via", "a"},
                            {"X-Real-IP", "1"}}),
            HeaderFields{});
}

TEST(AppHeaders, AnAppSaysNothingAboutOtherOrigins) {
  const HeaderFields answered = {{"Access-Control-Allow-Origin", "*"},
                                 {"access-control-allow-credentials", "true"},
                                 {"Service-Worker-Allowed", "/"},
                                 {"Clear-Site-Data", "\"*\""},
                                 {"Strict-Transport-Security", "max-age=1; includeSubDomains"},
                                 {"Alt-Svc", "h3=\":443\""},
                                 {"Content-Type", "text/html"}};
  EXPECT_EQ(fields_from_app(answered), (HeaderFields{{"Content-Type", "text/html"}}));
}

TEST(AppHeaders, AnAppSetsCookiesOfItsOwnHostAlone) {
  const HeaderFields answered = {{"Set-Cookie", "_xsrf=1; Path=/"},
                                 {"Set-Cookie", "a=1; Domain=localhost"},
                                 {"Set-Cookie", "a=1; path=/;DOMAIN = .localhost"},
                                 {"Set-Cookie", "a=1; domain"},
                                 {"set-cookie", "berth_1a2b3c4d=forged; Path=/v1"},
                                 {"Set-Cookie", " BERTH_app = x"},
                                 {"Set-Cookie", "__Secure-berth_app=x"},
                                 {"Set-Cookie", "=berth_1a2b3c4d=forged"},
                                 {"Set-Cookie", "berth_1a2b3c4d"},
                                 {"Set-Cookie", "; Path=/"},
                                 {"Set-Cookie", "domain=kept"}};
  EXPECT_EQ(fields_from_app(answered),
            (HeaderFields{{"Set-Cookie", "_xsrf=1; Path=/"}, {"Set-Cookie", "domain=kept"}}));
}

TEST(AppHeaders, AConnectionTakesNothingOfTheMessageAway) {
  const HeaderFields asked = {{"Connection", "Host, origin, X-Own, Sec-Fetch-Site"},
                              {"Host", "app"},
                              {"Origin", "http://app"},
                              {"Sec-Fetch-Site", "none"},
                              {"X-Own", "1"}};
  EXPECT_EQ(fields_for_app(asked),
            (HeaderFields{{"Host", "app"}, {"Origin", "http://app"}, {"Sec-Fetch-Site", "none"}}));
}

TEST(AppHeaders, AnUpgradeIsOneThatTheConnectionNames) {
  EXPECT_EQ(upgrade_for_app("keep-alive, Upgrade", "websocket"), "websocket");
  EXPECT_EQ(upgrade_for_app("upgrade", "websocket, H2C ,x"), "websocket, x");
  EXPECT_EQ(upgrade_for_app("upgrade", "h2c"), "");
  EXPECT_EQ(upgrade_for_app("keep-alive", "websocket"), "");
  EXPECT_EQ(upgrade_for_app("", "websocket"), "");
}

}  // namespace
}  // namespace berth::controller::api
