#include "controller/api/auth/signature.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::controller::api {
namespace {

SignedRequest a_request() {
  return {"POST",
          "/v1/sessions?x=1",
          "2026-01-01T00:00:00Z",
          "127.0.0.1:7410",
          "application/json",
          "2",
          "a-key",
          "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"};
}

TEST(Signature, SignsTheEightPartsWithoutANewLineAtTheEnd) {
  EXPECT_EQ(string_to_sign(a_request()),
            "POST\n/v1/sessions?x=1\n2026-01-01T00:00:00Z\n127.0.0.1:7410\napplication/json\n2\n"
            "a-key\n44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
}

TEST(Signature, KeepsEmptyLinesWhereThereIsNoContentTypeOrIdempotencyKey) {
  SignedRequest request = a_request();
  request.content_type = request.idempotency_key = "";
  EXPECT_NE(string_to_sign(request).find("7410\n\n2\n\n441"), std::string::npos);
}

// By an independent implementation (Python's hmac): see the page of the API for the recipe.
TEST(Signature, IsWhatAnotherImplementationComputes) {
  EXPECT_EQ(sign("the-secret", a_request()),
            "43e32b19b2fa48aa1c0127ecc7a90d5d3b122c708b976990033c223d5b8032f1");
}

TEST(Signature, ChangesWithEveryPart) {
  const std::string base = sign("the-secret", a_request());
  SignedRequest r = a_request();
  r.method = "PUT";
  EXPECT_NE(sign("the-secret", r), base);
  r = a_request(), r.target = "/v1/sessions?x=2";
  EXPECT_NE(sign("the-secret", r), base);
  r = a_request(), r.date = "2026-01-01T00:00:01Z";
  EXPECT_NE(sign("the-secret", r), base);
  r = a_request(), r.host = "127.0.0.1:7411";
  EXPECT_NE(sign("the-secret", r), base);
  r = a_request(), r.content_type = "text/plain";
  EXPECT_NE(sign("the-secret", r), base);
  r = a_request(), r.version = "1";
  EXPECT_NE(sign("the-secret", r), base);
  r = a_request(), r.idempotency_key = "another-key";
  EXPECT_NE(sign("the-secret", r), base);
  r = a_request(), r.body_hash = "";
  EXPECT_NE(sign("the-secret", r), base);
  EXPECT_NE(sign("another-secret", a_request()), base);
}

TEST(Authorization, ReadsWhatItWrites) {
  const std::string signature(64, 'a');
  const auto parsed = parse_authorization(authorization_header("BK01", signature));
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->access_key, "BK01");
  EXPECT_EQ(parsed->signature, signature);
  EXPECT_TRUE(
      parse_authorization("  BERTH-HMAC-SHA256   key=BK01 ,  signature=" + signature + " ").has_value());
}

TEST(Authorization, RefusesEveryOtherForm) {
  const std::string good(64, 'a');
  for (const std::string& header : std::vector<std::string>{
           "", "Bearer abc", "BERTH-HMAC-SHA256", "BERTH-HMAC-SHA256 key=BK01",
           "BERTH-HMAC-SHA256key=BK01, signature=" + good,
           "BERTH-HMAC-SHA256 signature=" + good + ", key=BK01", "BERTH-HMAC-SHA256 key=, signature=" + good,
           "BERTH-HMAC-SHA256 key=B K, signature=" + good,
           "BERTH-HMAC-SHA256 key=BK01, signature=" + std::string(63, 'a'),
           "BERTH-HMAC-SHA256 key=BK01, signature=" + std::string(64, 'A'),
           "BERTH-HMAC-SHA256 key=BK01, signature=" + std::string(64, 'g'),
           "BERTH-HMAC-SHA256 key=" + std::string(10'000, 'k') + ", signature=" + good})
    EXPECT_FALSE(parse_authorization(header).has_value()) << header.substr(0, 100);
}

TEST(Authorization, ComparesWholeSignatures) {
  EXPECT_TRUE(equal_signatures("abc", "abc"));
  EXPECT_FALSE(equal_signatures("abc", "abd"));
  EXPECT_FALSE(equal_signatures("abc", "abcd"));
}

}  // namespace
}  // namespace berth::controller::api
