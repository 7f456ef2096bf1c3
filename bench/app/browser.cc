#include "bench/app/browser.h"

#include <boost/json.hpp>
#include <charconv>
#include <fstream>

#include "bench/api/http_load.h"
#include "bench/tools.h"

namespace berth::bench {
namespace {

namespace bj = boost::json;

constexpr const char* kPassword = "a long enough secret";
constexpr const char* kJson = "Content-Type: application/json\r\n";

// The value of a field that is there once, up to ';'; empty: it is not there.
std::string field(const std::string& head, const std::string& name) {
  const auto at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const auto from = at + name.size() + 4;
  return head.substr(from, head.find_first_of(";\r", from) - from);
}

std::string text(const bj::value& of, const char* name) { return of.at(name).as_string().c_str(); }

}  // namespace

Browser::Browser(const BerthUp& up) : up_(up) {
  std::ifstream in(up.data() + "/login-link");
  std::string link;
  std::getline(in, link);
  const bj::object body{{"token", link.substr(link.rfind('/') + 1)}, {"password", kPassword}};
  const Reply reply =
      post("/v1/login/link", "Host: " + up.host() + "\r\nOrigin: " + up.origin() + "\r\n" + kJson,
           bj::serialize(body));
  cookie_ = reply.cookie;
  csrf_ = text(bj::parse(reply.body).at("user"), "csrf");
}

Browser::Reply Browser::post(const std::string& target, const std::string& fields,
                             const std::string& body) const {
  Client client(up_.port());
  client.send("POST " + target + " HTTP/1.1\r\n" + fields + "Content-Length: " + std::to_string(body.size()) +
              "\r\n\r\n" + body);
  std::string& bytes = client.bytes();
  while (bytes.find("\r\n\r\n") == std::string::npos) client.read();
  const auto end = bytes.find("\r\n\r\n");
  const std::string head = bytes.substr(0, end + 2), length = field(head, "Content-Length");
  std::size_t size = 0;
  std::from_chars(length.data(), length.data() + length.size(), size);
  while (bytes.size() < end + 4 + size) client.read();
  const std::string status = head.substr(9, 3);
  if (status[0] != '2' && status != "303") give_up(make_error("internal-error", target + ": " + bytes));
  return {field(head, "Set-Cookie"), bytes.substr(end + 4, size)};
}

std::string Browser::open_app(const std::string& session, std::uint16_t port) const {
  const Reply ticket = post("/v1/sessions/" + session + "/apps/" + std::to_string(port) + "/open",
                            "Host: " + up_.host() + "\r\nOrigin: " + up_.origin() + "\r\nCookie: " + cookie_ +
                                "\r\nX-Berth-CSRF: " + csrf_ + "\r\n" + kJson,
                            "{}");
  const bj::value told = bj::parse(ticket.body);
  std::string origin = text(told, "url");
  origin.pop_back();
  const std::string host = "Host: " + origin.substr(origin.find("//") + 2) + "\r\n";
  const Reply opened =
      post("/.berth/open",
           host + "Origin: " + up_.origin() + "\r\nContent-Type: application/x-www-form-urlencoded\r\n",
           "ticket=" + text(told, "ticket"));
  return host + "Cookie: " + opened.cookie + "\r\nOrigin: " + origin + "\r\n";
}

}  // namespace berth::bench
