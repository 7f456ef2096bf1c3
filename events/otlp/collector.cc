#include "events/otlp/collector.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <optional>

namespace berth {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;
using Tcp = asio::ip::tcp;
using Tls = asio::ssl::stream<Tcp::socket&>;

constexpr std::size_t kHeadBytes = 12;  // "HTTP/1.1 200"

bool is_host(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == ':';
  });
}

bool is_port(std::string_view port) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  return error == std::errc() && end == port.data() + port.size() && number > 0 && number < 65'536;
}

bool is_path(std::string_view path) {
  return std::all_of(path.begin(), path.end(),
                     [](char c) { return c > ' ' && c <= '~' && c != '?' && c != '#'; });
}

Error invalid(std::string_view url) {
  return make_error("otlp-url-invalid", "'" + std::string(url.substr(0, 200)) + "' is no collector's URL",
                    "like http://127.0.0.1:4318 or https://collector.example/v1/traces");
}

Error unreachable(const std::string& why) { return make_error("collector-unreachable", why); }

// "HTTP/1.1 200" -> 200.
Result<unsigned> status_of(const std::string& head) {
  unsigned status = 0;
  if (!head.starts_with("HTTP/1.")) return unreachable("it answers no HTTP");
  for (const char c : head.substr(9, 3)) {
    if (c < '0' || c > '9') return unreachable("it answers no HTTP");
    status = status * 10 + static_cast<unsigned>(c - '0');
  }
  return status;
}

}  // namespace

Result<CollectorUrl> parse_collector_url(std::string_view url) {
  CollectorUrl out;
  std::string_view rest = url;
  if (rest.starts_with("https://"))
    out.tls = true, rest.remove_prefix(8);
  else if (rest.starts_with("http://"))
    rest.remove_prefix(7);
  else
    return invalid(url);
  const auto slash = std::min(rest.find('/'), rest.size());
  out.path = rest.substr(slash) == "/" ? "" : std::string(rest.substr(slash));
  if (out.path.empty()) out.path = "/v1/traces";
  std::string_view place = rest.substr(0, slash), port;
  if (place.starts_with('[')) {
    const auto close = place.find(']');
    if (close == std::string_view::npos) return invalid(url);
    port = place.substr(close + 1);
    place = place.substr(1, close - 1);
    if (!port.empty() && port[0] != ':') return invalid(url);
  } else if (const auto colon = place.find(':'); colon != std::string_view::npos) {
    port = place.substr(colon);
    place = place.substr(0, colon);
  }
  out.host = place;
  out.port = port.empty() ? (out.tls ? "443" : "80") : std::string(port.substr(1));
  if (!is_host(out.host) || !is_port(out.port) || !is_path(out.path)) return invalid(url);
  return out;
}

// The variable names the place of all signals: the path of traces comes behind it.
Result<std::optional<CollectorUrl>> find_collector(std::string url) {
  if (const char* place = std::getenv("OTEL_EXPORTER_OTLP_ENDPOINT"); url.empty() && place != nullptr) {
    url = place;
    while (url.ends_with('/')) url.pop_back();
    if (!url.empty()) url += "/v1/traces";
  }
  if (url.empty()) return std::optional<CollectorUrl>();
  auto parsed = parse_collector_url(url);
  if (!parsed) return parsed.error();
  return std::optional(std::move(*parsed));
}

// Each step is asynchronous, so that the deadline and cancel() end it wherever it is. What was begun and not
// ended is never called: it goes with the context, the last thing here to go.
struct Collector::Exchange {
  asio::io_context context;
  std::chrono::steady_clock::time_point until;
  const std::atomic<bool>& cancelled;

  // The code of the step, or of its end by deadline or cancel().
  template <class Begin> ErrorCode run(Begin begin) {
    std::optional<ErrorCode> result;
    begin([&result](const ErrorCode& code) { result = code; });
    context.restart();
    if (!cancelled) context.run_until(until);
    return result.value_or(asio::error::timed_out);
  }

  template <class Stream> Result<unsigned> speak(Stream& stream, const std::string& request) {
    std::string head(kHeadBytes, '\0');
    ErrorCode failed = run([&](auto done) {
      asio::async_write(stream, asio::buffer(request),
                        [done](const ErrorCode& code, std::size_t) mutable { done(code); });
    });
    if (!failed)
      failed = run([&](auto done) {
        asio::async_read(stream, asio::buffer(head),
                         [done](const ErrorCode& code, std::size_t) mutable { done(code); });
      });
    if (failed) return unreachable(failed.message());
    return status_of(head);
  }

  Result<unsigned> post(const CollectorUrl& url, asio::ssl::context& tls, const std::string& request) {
    Tcp::resolver resolver(context);
    Tcp::socket socket(context);
    Tcp::resolver::results_type found;
    ErrorCode failed = run([&](auto done) {
      resolver.async_resolve(url.host, url.port,
                             [&, done](const ErrorCode& code, const auto& results) mutable {
                               found = results;
                               done(code);
                             });
    });
    if (!failed)
      failed = run([&](auto done) {
        asio::async_connect(socket, found,
                            [done](const ErrorCode& code, const auto&) mutable { done(code); });
      });
    if (failed) return unreachable(failed.message());
    if (!url.tls) return speak(socket, request);
    Tls stream(socket, tls);
    SSL_set_tlsext_host_name(stream.native_handle(), url.host.c_str());
    stream.set_verify_mode(asio::ssl::verify_peer);
    stream.set_verify_callback(asio::ssl::host_name_verification(url.host));
    failed = run([&](auto done) {
      stream.async_handshake(asio::ssl::stream_base::client,
                             [done](const ErrorCode& code) mutable { done(code); });
    });
    if (failed)
      return unreachable("TLS: " + failed.message() +
                         " (taken are certificates of this system's authorities, or of those in the file "
                         "SSL_CERT_FILE)");
    return speak(stream, request);
  }
};

struct Collector::Shared {
  asio::ssl::context tls{asio::ssl::context::tls_client};
  std::atomic<bool> cancelled{false};
  std::mutex mutex;
  Exchange* current = nullptr;  // guarded
};

Collector::Collector(CollectorUrl url) : url_(std::move(url)), shared_(std::make_unique<Shared>()) {
  ErrorCode ignored;
  shared_->tls.set_default_verify_paths(ignored);  // and SSL_CERT_FILE, as OpenSSL reads it
}

Collector::~Collector() = default;

Result<unsigned> Collector::post(const std::string& body, std::chrono::milliseconds patience) {
  const std::string host = url_.host.find(':') == std::string::npos ? url_.host : "[" + url_.host + "]";
  const std::string request =
      "POST " + url_.path + " HTTP/1.1\r\nHost: " + host + ":" + url_.port +
      "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\nConnection: close\r\n\r\n" + body;
  Exchange exchange{{}, std::chrono::steady_clock::now() + patience, shared_->cancelled};
  const auto show = [this](Exchange* current) {
    const std::lock_guard lock(shared_->mutex);
    shared_->current = current;
  };
  show(&exchange);
  auto answer = exchange.post(url_, shared_->tls, request);
  show(nullptr);
  return answer;
}

void Collector::cancel() {
  const std::lock_guard lock(shared_->mutex);
  shared_->cancelled = true;
  if (shared_->current != nullptr) shared_->current->context.stop();
}

}  // namespace berth
