// The one route on the origin of an app that is not the app's: a ticket becomes the cookie of this origin.
#pragma once

#include <cstddef>
#include <string_view>

namespace berth::controller::api {

struct Route;

inline constexpr std::string_view kTicketPath = "/.berth/open";
inline constexpr std::string_view kAppCookie = "berth_app";  // without TLS, as kept_name() says
inline constexpr std::size_t kTicketBodyBytesMax = 4u << 10;

// POST /.berth/open, a form with the field "ticket".
const Route& app_open_route();

}  // namespace berth::controller::api
