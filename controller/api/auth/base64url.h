// RFC 4648 base64url without padding. Pure, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::controller::api {

std::string base64url(std::string_view bytes);
// nullopt unless the text is what base64url() makes of exactly `size` bytes.
std::optional<std::string> from_base64url(std::string_view text, std::size_t size);

}  // namespace berth::controller::api
