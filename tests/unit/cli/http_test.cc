// Signed requests, retries with one idempotency key, and streams that resume exactly (ops/cli/http).
#include <gtest/gtest.h>

#include <set>

#include "controller/api/auth/signature.h"
#include "ops/cli/http/api.h"
#include "ops/cli/http/unit_hint.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

struct Client {
  FakeServer server;
  FakeTransport transport{server};
  Api api{transport, [](HttpRequest&) {},
          [] {
            ApiOptions options;
            options.new_key = [n = 0]() mutable { return "key-" + std::to_string(++n); };
            return options;
          }()};
};

TEST(Sse, JoinsLinesAndKeepsTheLastId) {
  SseParser parser;
  std::vector<SseEvent> seen;
  const auto take = [&](const SseEvent& event) { return seen.push_back(event), true; };
  for (const char c :
       std::string(": ok\n\nid: 17-0\r\nevent: A\r\ndata: x\r\ndata: y\r\n\r\ndata:z\n\nid: 18-0\ndata: cut"))
    parser.feed(std::string(1, c), take);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].id + seen[0].event + seen[0].data, "17-0Ax\ny");
  EXPECT_EQ(seen[1].event + seen[1].data, "z");
  EXPECT_EQ(parser.last_id(), "17-0");  // the cut event was never handed out, so the stream resumes before it
}

TEST(Sse, GivesUpOnAnEventWithoutEnd) {
  SseParser parser;
  EXPECT_FALSE(parser.feed("data: " + std::string(SseParser::kEventBytesMax + 1, 'x'),
                           [](const SseEvent&) { return true; }));
  EXPECT_TRUE(parser.too_long());
}

TEST(Api, TriesAgainOn503WithTheSameKeyAndWaitsAsAsked) {
  Client c;
  int calls = 0;
  c.server.answer = [&](const HttpRequest&) -> Result<HttpReply> {
    if (++calls < 3) {
      auto busy = problem(503, "controller-full");
      busy.headers.emplace_back("retry-after", "2");
      return busy;
    }
    return json_reply("{\"position\": 9}", 201, 9);
  };
  const auto reply = c.api.post("/v1/sessions", boost::json::object{{"a", 1}});
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->position, 9);
  ASSERT_EQ(c.server.requests.size(), 3u);
  for (const auto& request : c.server.requests) EXPECT_EQ(header_of(request, "Idempotency-Key"), "key-1");
  EXPECT_EQ(c.server.pauses_ms, (std::vector<long>{2000, 2000}));
}

TEST(Api, TriesAgainWhenTheOutcomeIsUnknown) {
  Client c;
  int calls = 0;
  c.server.answer = [&](const HttpRequest&) -> Result<HttpReply> {
    return ++calls == 1 ? problem(504, "outcome-unknown") : json_reply("{}");
  };
  EXPECT_TRUE(c.api.remove("/v1/sessions/a"));
  EXPECT_EQ(header_of(c.server.requests[0], "Idempotency-Key"),
            header_of(c.server.requests[1], "Idempotency-Key"));
}

TEST(Api, FailsAtOnceWhereNoServerEverWas) {
  Client c;
  c.server.answer = [](const HttpRequest&) -> Result<HttpReply> {
    return make_error("unreachable", "refused");
  };
  EXPECT_EQ(c.api.get("/v1/cluster").failure().exit, kUnreachable);
  EXPECT_EQ(c.server.requests.size(), 1u);
}

TEST(Api, WaitsForAServerThatAnsweredBeforeAndRestarts) {
  Client c;
  int calls = 0;
  c.server.answer = [&](const HttpRequest&) -> Result<HttpReply> {
    ++calls;
    if (calls == 2 || calls == 3) return make_error("unreachable", "reset");
    return json_reply("{}");
  };
  EXPECT_TRUE(c.api.get("/v1/cluster"));
  EXPECT_TRUE(c.api.get("/v1/cluster"));
  EXPECT_EQ(calls, 4);
}

TEST(Api, ReadsAProblemWithItsPlaces) {
  const auto failure = failure_of_reply(json_reply(
      R"({"code": "invalid-amount", "detail": "no multiple", "hint": "0.2 or 0.3", "request_id": "r",
          "errors": [{"place": "resources.cpu", "message": "bad"}]})",
      400));
  EXPECT_EQ(failure.exit, kUsage);
  EXPECT_EQ(failure.message, "no multiple\n  resources.cpu: bad");
  EXPECT_EQ(failure.hint, "0.2 or 0.3");
}

TEST(Api, MapsStatusAndCodeToExitCodes) {
  const std::pair<unsigned, ExitCode> expected[] = {
      {401, kDenied}, {403, kDenied},      {404, kNotFound}, {409, kConflict},  {400, kUsage},
      {500, kFailed}, {503, kUnreachable}, {504, kTimeout},  {0, kUnreachable}, {201, kOk}};
  for (const auto& [status, exit] : expected) EXPECT_EQ(exit_code_of(status, Code()), exit) << status;
}

TEST(Api, ResumesABrokenStreamBehindTheLastEvent) {
  Client c;
  c.server.stream_chunks = {"id: 5-0\ndata: a\n\n", "id: 5-1\nda", "",
                            "id: 5-1\ndata: b\n\nevent: end\ndata: {}\n\n"};
  std::string seen;
  const auto done = c.api.events("/v1/events?from=5", "", Api::never(),
                                 [&](const SseEvent& event) { return seen += event.data, true; });
  ASSERT_TRUE(done);
  EXPECT_EQ(seen, "ab");
  ASSERT_EQ(c.server.requests.size(), 2u);
  EXPECT_EQ(header_of(c.server.requests[0], "Last-Event-ID"), "");
  EXPECT_EQ(header_of(c.server.requests[1], "Last-Event-ID"), "5-0");
}

TEST(Api, AsksForStatesBehindTheOneItKnows) {
  Client c;
  c.server.answer = [](const HttpRequest&) -> Result<HttpReply> {
    return problem(504, "position-not-reached");
  };
  const auto reply = c.api.get_after("/v1/sessions/a", 17, Api::never());
  ASSERT_TRUE(reply);
  EXPECT_FALSE(reply->has_value());
  EXPECT_EQ(c.server.requests[0].target, "/v1/sessions/a?min_position=18&wait=10000ms");
}

TEST(Api, EncodesWhatIsNoPlainCharacter) {
  EXPECT_EQ(with_query("/v1/x", {{"a", "b c&d"}, {"none", ""}, {"e", "1"}}), "/v1/x?a=b%20c%26d&e=1");
}

TEST(Signer, SignsWhatTheServerWillSee) {
  const Server server{"127.0.0.1", "7410", {}};
  HttpRequest request{
      "POST", "/v1/sessions?x=1", {{"Content-Type", "application/json"}, {"Idempotency-Key", "a-key"}}, "{}"};
  make_signer(server, {"BKid", "secret"}, [] { return kNow + 5; })(request);
  EXPECT_EQ(header_of(request, "Host"), "127.0.0.1:7410");
  EXPECT_EQ(header_of(request, "X-Berth-Date"), "2026-01-01T00:00:00Z");
  controller::api::SignedRequest text;
  text.method = "POST";
  text.target = "/v1/sessions?x=1";
  text.date = "2026-01-01T00:00:00Z";
  text.host = "127.0.0.1:7410";
  text.content_type = "application/json";
  text.version = "2";
  text.idempotency_key = "a-key";
  text.body_hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
  EXPECT_EQ(header_of(request, "X-Berth-Content-SHA256"), text.body_hash);
  EXPECT_EQ(header_of(request, "Authorization"),
            controller::api::authorization_header("BKid", controller::api::sign("secret", text)));
}

// ---- whom to ask where nobody answers ----

const std::string kWanted = "/etc/systemd/system/multi-user.target.wants/",
                  kInstalled = "/lib/systemd/system/";

std::string hint(const std::string& host, const std::set<std::string>& files) {
  return unreachable_hint(host, "worker-1", [&](const std::string& path) { return files.contains(path); });
}

TEST(UnitHint, NamesTheUnitThatServesOnThisMachine) {
  const std::set<std::string> both = {kInstalled + "berth.service", kInstalled + "berth-controller.service"};
  std::set<std::string> files = both;
  EXPECT_TRUE(hint("127.0.0.1", files).starts_with("systemctl status berth and journalctl -u berth "))
      << hint("127.0.0.1", files);
  files.insert(kWanted + "berth-controller.service");
  for (const char* host : {"localhost", "[::1]", "127.0.1.1", "worker-1"})
    EXPECT_TRUE(hint(host, files)
                    .starts_with("systemctl status berth-controller and journalctl -u berth-controller "))
        << hint(host, files);
}

TEST(UnitHint, SaysNothingOfUnitsWhereThereIsNoneOrTheServerIsElsewhere) {
  const std::string usual = "is `berth up` running? --endpoint or --data says where";
  EXPECT_EQ(hint("127.0.0.1", {}), usual);
  EXPECT_EQ(hint("10.0.0.7", {kInstalled + "berth.service"}), usual);
  EXPECT_EQ(hint("worker-2", {kInstalled + "berth.service"}), usual);
}

}  // namespace
}  // namespace berth::cli
