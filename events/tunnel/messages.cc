#include "events/tunnel/messages.h"

#include <nghttp2/nghttp2.h>

#include "events/base/text.h"

namespace berth::tunnel {
namespace {

constexpr std::size_t kFieldCost = 32;  // of a header beside its letters, as HTTP/2 counts it

const std::uint8_t* bytes_of(const std::string& text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

Error invalid(const std::string& what) {
  return make_error(kHeadersInvalid, what + " cannot be sent",
                    "names are lower-case tokens, values are printable text, a path begins with /");
}

Result<void> check(const Headers& headers, std::size_t before) {
  std::size_t size = before;
  for (const auto& [name, value] : headers) {
    if (name.starts_with(':') || nghttp2_check_header_name(bytes_of(name), name.size()) == 0)
      return invalid("the header name '" + clipped(name) + "'");
    if (nghttp2_check_header_value_rfc9113(bytes_of(value), value.size()) == 0)
      return invalid("the value of header '" + clipped(name) + "'");
    size += name.size() + value.size() + kFieldCost;
  }
  if (size > kHeaderBytesMax)
    return make_error(kHeadersTooLarge, "headers of " + std::to_string(size) + " bytes are too large",
                      "at most " + std::to_string(kHeaderBytesMax) + " bytes; send the rest as the body");
  return {};
}

}  // namespace

Result<void> check(const Question& question) {
  const auto& [method, path, headers] = question;
  if (nghttp2_check_method(bytes_of(method), method.size()) == 0 || method == "CONNECT")
    return invalid("the method '" + clipped(method) + "'");
  if (!path.starts_with('/') || nghttp2_check_path(bytes_of(path), path.size()) == 0)
    return invalid("the path '" + clipped(path) + "'");
  return check(headers, method.size() + path.size() + 8 * kFieldCost);  // with the headers that HTTP/2 adds
}

Result<void> check(const Answer& answer) {
  if (answer.status < 200 || answer.status > 599)
    return invalid("the status " + std::to_string(answer.status));
  return check(answer.headers, 2 * kFieldCost);
}

}  // namespace berth::tunnel
