// The cookie of a browser session and its CSRF token.
#include "controller/api/auth/cookie.h"

#include <gtest/gtest.h>

#include "controller/api/auth/csrf.h"

namespace berth::controller::api {
namespace {

const std::string kName = "berth_1a2b3c4d";

BrowserCookie cookie_of(char fill) {
  return {Uuid::from_hash(blake2b_128(std::string(1, fill))), std::string(kCookieSecretBytes, fill)};
}

TEST(Cookie, IsNamedAfterItsCluster) {
  Uuid cluster;
  cluster.bytes = {0x1a, 0x2b, 0x3c, 0x4d, 0x5e};
  EXPECT_EQ(cookie_name(cluster), kName);
}

TEST(Cookie, IsFoundAmongOthers) {
  const BrowserCookie made = cookie_of('s');
  const std::string header = "a=b; berth_1a2b3c4dx=1;  " + kName + "=" + cookie_value(made) + " ; z=";
  const auto found = find_cookie(header, kName);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, made.id);
  EXPECT_EQ(found->secret, made.secret);
}

TEST(Cookie, OfAnotherFormIsNone) {
  const std::string good = cookie_value(cookie_of('s'));
  for (const std::string& bad :
       {std::string(), std::string("."), std::string("x.y"), good + "A", good.substr(1), "A" + good.substr(1),
        good.substr(0, good.size() - 1), good.substr(0, 32), std::string(10'000, 'a')})
    EXPECT_FALSE(find_cookie(kName + "=" + bad, kName)) << bad;
  EXPECT_FALSE(find_cookie("other=" + good, kName));
}

TEST(Cookie, IsOutOfReachOfScriptsAndOtherSites) {
  const std::string set = set_cookie(kName, cookie_of('s'), 60);
  EXPECT_TRUE(set.starts_with(kName + "=" + cookie_value(cookie_of('s')) + ";"));
  for (const char* attribute : {"Path=/v1", "HttpOnly", "Secure", "SameSite=Strict", "Max-Age=60"})
    EXPECT_NE(set.find(std::string("; ") + attribute), std::string::npos) << attribute;
  EXPECT_TRUE(clear_cookie(kName).ends_with("Max-Age=0"));
}

TEST(Cookie, WithTlsIsOneThatOnlyItsOwnHostSets) {
  EXPECT_EQ(kept_name(kName, false), kName);
  const std::string name = kept_name(kName, true);
  EXPECT_EQ(name, "__Host-" + kName);
  for (const std::string& set : {set_cookie(name, cookie_of('s'), 60), clear_cookie(name)}) {
    EXPECT_TRUE(set.starts_with(name + "=")) << set;
    for (const char* attribute : {"Path=/;", "HttpOnly", "Secure", "SameSite=Strict"})
      EXPECT_NE(set.find(std::string("; ") + attribute), std::string::npos) << set;
    EXPECT_EQ(set.find("Domain"), std::string::npos);
  }
  EXPECT_FALSE(find_cookie(kName + "=" + cookie_value(cookie_of('s')), name)) << "what a neighbour planted";
}

TEST(Csrf, FollowsFromTheSecretAndDoesNotTellIt) {
  const std::string token = csrf_token(std::string(kCookieSecretBytes, 's'));
  EXPECT_EQ(token.size(), 43u);
  EXPECT_EQ(token, csrf_token(std::string(kCookieSecretBytes, 's')));
  EXPECT_NE(token, csrf_token(std::string(kCookieSecretBytes, 't')));
  EXPECT_NE(token, base64url(as_view(hash_of_cookie(cookie_of('s')))));
}

}  // namespace
}  // namespace berth::controller::api
