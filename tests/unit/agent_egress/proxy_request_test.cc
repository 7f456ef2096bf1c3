#include "agents/egress/proxy_request.h"

#include <gtest/gtest.h>

#include <random>

namespace berth::agents {
namespace {

// "tunnel HOST:PORT", "forward HOST:PORT", the status of a refusal, or "more".
std::string reading(std::string_view bytes) {
  const auto read = read_proxy_request(bytes);
  if (!read) return "more";
  if (const auto* const refusal = std::get_if<ProxyRefusal>(&*read)) return std::to_string(refusal->status);
  const auto& request = std::get<ProxyRequest>(*read);
  return (request.tunnels ? "tunnel " : "forward ") + request.host + ":" + std::to_string(request.port);
}

ProxyRequest request_in(std::string_view bytes) {
  const auto read = read_proxy_request(bytes);
  return read && std::holds_alternative<ProxyRequest>(*read) ? std::get<ProxyRequest>(*read) : ProxyRequest{};
}

TEST(ProxyRequest, ConnectNamesAHostAndItsPort) {
  EXPECT_EQ(reading("CONNECT index.test:443 HTTP/1.1\r\nHost: other.test\r\n\r\n"), "tunnel index.test:443");
  EXPECT_EQ(reading("CONNECT Index.Test.:443 HTTP/1.0\r\n\r\n"), "tunnel index.test:443");
}

TEST(ProxyRequest, AHeadThatIsNotWholeIsWaitedFor) {
  const std::string whole = "CONNECT a.test:443 HTTP/1.1\r\nUser-Agent: x\r\n\r\n";
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(reading(whole.substr(0, size)), "more") << size;
  EXPECT_EQ(reading(whole), "tunnel a.test:443");
}

TEST(ProxyRequest, WhatIsNoRequestIsRefusedAsSoonAsItIsSeen) {
  for (const char* bytes : {"\n", "\r\r", "\x16\x03\x01", "CONNECT a.test:443\n", "CONNECT\x01",
                            "GET http://a.test/ HTTP/1.1\nA"})
    EXPECT_EQ(reading(bytes), "400") << bytes;
  EXPECT_EQ(reading(std::string("CONNECT \0", 9)), "400");
}

TEST(ProxyRequest, ConnectIsReadStrictly) {
  for (const char* target :
       {"a.test", "a.test:", "a.test:0", "a.test:443:443", "a.test:70000", "a.test:443/", "http://a.test:443",
        "user@a.test:443", "[::1]:443", "[::ffff:127.0.0.1]:443", "::1:443", ":443", "a..test:443",
        "a.test:443#", "a%2etest:443", "a.test:0443", "a.test:+443", "\xc3\xa4.test:443"})
    EXPECT_EQ(reading("CONNECT " + std::string(target) + " HTTP/1.1\r\n\r\n"), "400") << target;
  for (const char* line :
       {"CONNECT a.test:443", "CONNECT  a.test:443 HTTP/1.1", "CONNECT a.test:443 HTTP/1.1 ",
        "CONNECT a.test:443 HTTP/2.0", " CONNECT a.test:443 HTTP/1.1", "CONNECT\ta.test:443 HTTP/1.1",
        "CONNECT a.test:443 http/1.1", ""})
    EXPECT_EQ(reading(std::string(line) + "\r\n\r\n"), "400") << line;
  for (const char* field : {"A", ": b", "A : b", " A: b", "A: b\x7f", "A b: c", "\tfolded"})
    EXPECT_EQ(reading("CONNECT a.test:443 HTTP/1.1\r\n" + std::string(field) + "\r\n\r\n"), "400") << field;
}

TEST(ProxyRequest, NoRequestHasABody) {
  for (const char* field : {"Content-Length: 5", "content-length: 0, 5", "Transfer-Encoding: chunked",
                            "Transfer-Encoding: identity"})
    for (const char* line : {"CONNECT a.test:443 HTTP/1.1\r\n", "GET http://a.test/ HTTP/1.1\r\n"})
      EXPECT_EQ(reading(std::string(line) + field + "\r\n\r\n"), "400") << field;
  EXPECT_EQ(reading("CONNECT a.test:443 HTTP/1.1\r\nContent-Length: 0\r\n\r\n"), "tunnel a.test:443");
}

TEST(ProxyRequest, OtherMethodsAreRefused) {
  for (const char* method : {"POST", "PUT", "OPTIONS", "connect", "PRI", "GETT"})
    EXPECT_EQ(reading(std::string(method) + " http://a.test/ HTTP/1.1\r\n\r\n"), "405") << method;
}

TEST(ProxyRequest, AHeadOfMoreThan8KiBIsRefused) {
  const std::string begin = "CONNECT a.test:443 HTTP/1.1\r\nA: ";
  EXPECT_EQ(reading(begin + std::string(1 << 20, 'a')), "431");
  EXPECT_EQ(reading(begin + std::string(kProxyHeadMax - begin.size() - 1, 'a')), "more");
  EXPECT_EQ(reading(begin + std::string(kProxyHeadMax - begin.size() - 4, 'a') + "\r\n\r\n"),
            "tunnel a.test:443");
}

TEST(ProxyRequest, WhatComesBehindTheHeadIsNotReadAsARequest) {
  const std::string first = "CONNECT a.test:443 HTTP/1.1\r\n\r\n";
  const ProxyRequest request = request_in(first + "CONNECT evil.test:443 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(request.host, "a.test");
  EXPECT_EQ(request.size, first.size());
}

TEST(ProxyRequest, AUrlIsAskedForOfItsHostByItsPath) {
  const ProxyRequest request = request_in(
      "GET HTTP://deb.Test/debian/dists?a=b#c HTTP/1.1\r\nHost: evil.test\r\nUser-Agent: apt\r\n"
      "Proxy-Connection: keep-alive\r\nConnection: keep-alive, X-Secret\r\nX-Secret: 1\r\nTE: trailers\r\n"
      "Proxy-Authorization: Basic eA==\r\nRange: bytes=5-\r\nUpgrade: h2c\r\n\r\nGET http://evil.test/ "
      "HTTP/1.1\r\n\r\n");
  EXPECT_EQ(request.host, "deb.test");
  EXPECT_EQ(request.port, 80);
  EXPECT_EQ(request.forward,
            "GET /debian/dists?a=b HTTP/1.1\r\nHost: deb.test\r\nUser-Agent: apt\r\n"
            "Range: bytes=5-\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(request_in("HEAD http://a.test:8080?x HTTP/1.0\r\n\r\n").forward,
            "HEAD /?x HTTP/1.1\r\nHost: a.test:8080\r\nConnection: close\r\n\r\n");
}

TEST(ProxyRequest, AUrlIsReadStrictly) {
  for (const char* target :
       {"/path", "*", "https://a.test/", "ftp://a.test/", "http://", "http:///x", "http://u@a.test/",
        "http://a.test:x/", "http://[::1]/", "http://a.test\\@b.test/", "http:/a.test/"})
    EXPECT_EQ(reading("GET " + std::string(target) + " HTTP/1.1\r\n\r\n"), "400") << target;
}

TEST(ProxyRequest, AnyBytesAreReadWithoutHarm) {
  std::mt19937 random(7);  // the same each time
  const std::string_view parts[] = {"CONNECT ", "GET ",  "http://", "a.test",  ":443", " HTTP/1.1",
                                    "\r\n",     "\r",    "\n",      ":",       " ",    "\t",
                                    "\xff",     "[::1]", "Host",    "\r\n\r\n"};
  for (int i = 0; i < 100'000; ++i) {
    std::string bytes;
    for (auto n = random() % 12; n > 0; --n) bytes += parts[random() % std::size(parts)];
    const auto read = read_proxy_request(bytes);
    if (!read || std::holds_alternative<ProxyRefusal>(*read)) continue;
    const auto& request = std::get<ProxyRequest>(*read);
    EXPECT_TRUE(!request.host.empty() && request.port != 0 && request.size <= bytes.size()) << bytes;
  }
}

TEST(ProxyRequest, AnAnswerSaysWhyInItsFirstLineAndItsText) {
  EXPECT_EQ(proxy_answer({403, "no"}),
            "HTTP/1.1 403 berth: no\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 10\r\n"
            "Connection: close\r\n\r\nberth: no\n");
}

}  // namespace
}  // namespace berth::agents
