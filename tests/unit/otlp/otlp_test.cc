#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <thread>

#include "events/base/hex.h"
#include "events/otlp/span_exporter.h"

namespace berth {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

// Listens on a free port and answers each connection with `answer`, after it has read a request; empty: it
// reads and says nothing.
class FakeCollector {
 public:
  explicit FakeCollector(std::string answer) : answer_(std::move(answer)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    socklen_t size = sizeof address;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeCollector() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  void answer(std::string text) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(text);
  }
  // The requests so far, head and body.
  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    std::vector<int> open;
    while (true) {
      const int peer = accept(listener_, nullptr, nullptr);
      if (peer < 0) break;
      std::string text;
      char bytes[4096];
      std::size_t body = std::string::npos, length = 0;
      while (body == std::string::npos || text.size() < body + length) {
        const auto got = read(peer, bytes, sizeof bytes);
        if (got <= 0) break;
        text.append(bytes, static_cast<std::size_t>(got));
        if (const auto end = text.find("\r\n\r\n"); end != std::string::npos && body == std::string::npos) {
          body = end + 4;
          length = std::stoul(text.substr(text.find("Content-Length: ") + 16));
        }
      }
      const std::lock_guard lock(mutex_);
      requests_.push_back(text);
      if (answer_.empty()) {
        open.push_back(peer);
        continue;
      }
      [[maybe_unused]] const auto wrote = write(peer, answer_.data(), answer_.size());
      close(peer);
    }
    for (const int peer : open) close(peer);
  }

  int listener_ = -1;
  int port_ = 0;
  std::mutex mutex_;
  std::string answer_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

const char* const kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

Span span(const std::string& name) {
  Span out;
  out.trace.fill(0xab);
  out.id.fill(0xcd);
  out.name = name;
  out.begin = 1'700'000'000 * kSecond + 1;
  out.end = out.begin + kSecond;
  return out;
}

SpanExporter::Limits quick() {
  SpanExporter::Limits limits;
  limits.every = 5ms;
  limits.backoff_most = 20ms;
  limits.patience = 100ms;
  limits.last_try = 100ms;
  return limits;
}

struct Exporter {
  explicit Exporter(const std::string& url, SpanExporter::Limits limits = quick())
      : it(
            *parse_collector_url(url), {"berth", "c1", "1"},
            [this](const std::string& text) {
              const std::lock_guard lock(mutex);
              told.push_back(text);
            },
            limits) {}
  std::vector<std::string> warnings() {
    const std::lock_guard lock(mutex);
    return told;
  }
  std::mutex mutex;
  std::vector<std::string> told;
  SpanExporter it;
};

template <class F> void until(F f) {
  while (!f()) std::this_thread::sleep_for(1ms);
}

TEST(CollectorUrl, HasAPathAndAPortByDefault) {
  const auto plain = parse_collector_url("http://127.0.0.1:4318");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->tls);
  EXPECT_EQ(plain->host + "|" + plain->port + "|" + plain->path, "127.0.0.1|4318|/v1/traces");
  const auto full = parse_collector_url("https://[::1]/otlp/v1/traces");
  ASSERT_TRUE(full);
  EXPECT_TRUE(full->tls);
  EXPECT_EQ(full->host + "|" + full->port + "|" + full->path, "::1|443|/otlp/v1/traces");
  EXPECT_EQ(parse_collector_url("http://c/")->path, "/v1/traces");
}

TEST(CollectorUrl, RefusesWhatIsNone) {
  for (const char* url : {"", "collector:4318", "ftp://c", "http://", "http://u:p@c", "http://c:port",
                          "http://c/a b", "http://c/?key=1", "http://c:1/\r\nX: y", "http://[::1",
                          "http://c:123456", "http://c:99999", "http://c:0"})
    EXPECT_EQ(parse_collector_url(url).ok() ? "" : parse_collector_url(url).error().code.word(),
              "otlp-url-invalid")
        << url;
}

TEST(OtlpJson, IsAnExportTraceServiceRequest) {
  Span one = span("POST /v1/sessions");
  one.parent.fill(0x11);
  one.kind = Span::Kind::kServer;
  one.attributes = {{"berth.session", "s\xff"}};
  one.failed = true;
  one.message = "500";
  const json::value whole = json::parse(to_otlp_json({"berth-controller", "c1", "0.1.0"}, {one, span("b")}));
  const auto& resource = whole.at("resourceSpans").at(0);
  EXPECT_EQ(resource.at("resource").at("attributes").at(0).at("value").at("stringValue"), "berth-controller");
  const auto& spans = resource.at("scopeSpans").at(0).at("spans").as_array();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].at("traceId"), "abababababababababababababababab");
  EXPECT_EQ(spans[0].at("spanId"), "cdcdcdcdcdcdcdcd");
  EXPECT_EQ(spans[0].at("parentSpanId"), "1111111111111111");
  EXPECT_EQ(spans[0].at("kind"), 2);
  EXPECT_EQ(spans[0].at("startTimeUnixNano"), "1700000000000000001");
  EXPECT_EQ(spans[0].at("attributes").at(0).at("value").at("stringValue"), "s\xEF\xBF\xBD");
  EXPECT_EQ(spans[0].at("status").at("code"), 2);
  EXPECT_FALSE(spans[1].as_object().contains("parentSpanId"));
}

TEST(SpanExporter, PostsWhatItWasGivenAndCountsIt) {
  FakeCollector collector(kOk);
  Exporter exporter(collector.url());
  for (int i = 0; i < 3; ++i) exporter.it.add(span("s" + std::to_string(i)));
  exporter.it.start();
  until([&] { return exporter.it.exported() == 3; });
  exporter.it.stop();
  const auto requests = collector.requests();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_TRUE(requests[0].starts_with("POST /v1/traces HTTP/1.1\r\n"));
  const auto body = json::parse(requests[0].substr(requests[0].find("\r\n\r\n") + 4));
  EXPECT_EQ(body.at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans").as_array().size(), 3u);
  EXPECT_EQ(exporter.it.dropped(), 0u);
  EXPECT_EQ(exporter.warnings(), std::vector<std::string>{});
}

TEST(SpanExporter, AFullQueueDropsAndCounts) {
  FakeCollector collector(kOk);
  auto limits = quick();
  limits.queue = 2;
  Exporter exporter(collector.url(), limits);
  for (int i = 0; i < 5; ++i) exporter.it.add(span("s"));
  EXPECT_EQ(exporter.it.dropped(), 3u);
  exporter.it.start();
  exporter.it.stop();  // what is there is tried once more
  EXPECT_EQ(exporter.it.exported(), 2u);
  exporter.it.add(span("late"));
  EXPECT_EQ(exporter.it.dropped(), 4u);
}

TEST(SpanExporter, SaysOnceThatACollectorRefusesAndOnceThatItTakesAgain) {
  FakeCollector collector("HTTP/1.1 500 No\r\n\r\n");
  Exporter exporter(collector.url());
  exporter.it.start();
  for (int i = 1; i <= 3; ++i) {
    exporter.it.add(span("lost"));
    until([&] { return exporter.it.dropped() == static_cast<std::uint64_t>(i); });
  }
  collector.answer(kOk);
  exporter.it.add(span("taken"));
  until([&] { return exporter.it.exported() == 1; });
  exporter.it.stop();
  const auto told = exporter.warnings();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_NE(told[0].find("500"), std::string::npos);
  EXPECT_NE(told[1].find("again"), std::string::npos);
}

TEST(SpanExporter, ACollectorThatIsAwayHangsClosesOrBabblesLosesSpansAlone) {
  std::string nobody;
  {
    const FakeCollector gone(kOk);
    nobody = gone.url();
  }
  FakeCollector hangs(""), closes("\n"), babbles("SSH-2.0-OpenSSH_9.2p1 and more\r\n");
  for (const std::string& url : {nobody, hangs.url(), closes.url(), babbles.url()}) {
    Exporter exporter(url);
    exporter.it.start();
    exporter.it.add(span("lost"));
    until([&] { return exporter.it.dropped() == 1; });
    exporter.it.stop();
    EXPECT_EQ(exporter.it.exported(), 0u) << url;
  }
}

TEST(SpanExporter, AStopWaitsForNoCollectorThatHangs) {
  FakeCollector hangs("");
  auto limits = quick();
  limits.patience = 1h;
  Exporter exporter(hangs.url(), limits);
  exporter.it.start();
  exporter.it.add(span("lost"));
  until([&] { return hangs.requests().size() == 1; });
  exporter.it.stop();
  EXPECT_EQ(exporter.it.dropped(), 1u);
}

}  // namespace
}  // namespace berth
