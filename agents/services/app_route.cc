#include "agents/services/app_route.h"

#include <charconv>
#include <memory>
#include <string>
#include <utility>

#include "agents/services/places.h"
#include "agents/services/relay.h"

namespace berth::agents {
namespace {

Result<std::uint16_t> port_in(const std::string& text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, port);
  if (parsed.ec != std::errc() || parsed.ptr != end || port == 0)
    return make_error("port-refused", "a port is a number from 1 to 65535");
  return port;
}

Result<inside::Request> request_in(const KernelQuestion& question) {
  const auto port = question.options.find("port"), app = question.options.find("app");
  const bool by_port = port != question.options.end(), by_name = app != question.options.end();
  if (by_port == by_name) return make_error("bad-request", "either a port or an app is to be named");
  inside::Request request;
  request.what = inside::Request::What::kConnect;
  if (by_name) request.name = app->second;
  if (by_port) {
    const auto number = port_in(port->second);
    if (!number) return number.error();
    request.port = *number;
  }
  if (const auto problem = inside::check(request))
    return make_error(Code::told(problem->code), problem->message);
  return request;
}

}  // namespace

KernelRoute app_route(FindDoor find_door, bool has_networks, AppLimits limits) {
  return [find_door = std::move(find_door), has_networks, limits, places = Places(limits.open_max)](
             const KernelQuestion& question, const std::shared_ptr<tunnel::Stream>& stream) {
    auto request = request_in(question);
    if (!request) return refuse(stream, 400, request.error());
    if (!has_networks) return refuse(stream, 409, no_networks());
    auto place = places.take();
    if (!place)
      return refuse(stream, 503,
                    make_error("agent-busy",
                               std::to_string(places.max()) +
                                   " connections into kernels of this agent are open already",
                               "try again when some of them have ended"));
    std::make_shared<Relay>(question.io, std::move(*request), limits, stream, std::move(place))
        ->begin(question.kernel, find_door);
  };
}

}  // namespace berth::agents
