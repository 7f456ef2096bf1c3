#include "ops/cli/session/inside_open.h"

#include <algorithm>
#include <vector>

#include "ops/cli/http/transport_errors.h"
#include "ops/cli/problem_codes.h"
#include "ops/cli/session/inside_talk.h"

namespace berth::cli {
namespace {

constexpr std::chrono::seconds kOpenMax{10};
constexpr std::chrono::seconds kBusyMax{10};

}  // namespace

std::string inside_target(const std::string& session, const std::string& what, const std::string& kernel) {
  return with_query("/v1/sessions/" + percent_encoded(session) + "/" + what, {{"kernel", kernel}});
}

std::chrono::milliseconds pause_before_attempt(int attempt) {
  constexpr std::chrono::milliseconds kPauseMax{2'000};
  return std::min(kPauseMax, std::chrono::milliseconds(100) * (1 << std::min(attempt, 5)));
}

bool is_passing(const Failure& failure) {
  return failure.exit == kUnreachable || failure.exit == kTimeout || failure.code == "too-many-requests";
}

Outcome<bool> connect_inside(WebSocket& socket, const RequestSigner& sign, const std::string& target,
                             WebSocket::Deadline deadline) {
  HttpRequest request{"GET", target, {{"Sec-WebSocket-Protocol", kInsideProtocol}}, {}};
  sign(request);
  const auto reply = socket.connect(request, deadline);
  if (!reply)
    return failure_of(reply.error(), is_unreachable(reply.error())     ? kUnreachable
                                     : is_reply_timeout(reply.error()) ? kTimeout
                                                                       : kFailed);
  if (reply->status == 101 && reply->header("sec-websocket-protocol") == kInsideProtocol) return true;
  if (reply->status >= 400) return failure_of_reply(*reply);
  return Failure{kFailed,
                 kNotBerthCode,
                 "this is no answer of Berth: a WebSocket was asked for",
                 "is the address right (berth config show --origin), and no proxy or portal in between?",
                 {}};
}

Outcome<bool> open_inside(Shell& shell, WebSocket& socket, const RequestSigner& sign,
                          const std::string& target) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + kBusyMax;
  for (int attempt = 0;; ++attempt) {
    auto opened = connect_inside(socket, sign, target, Clock::now() + kOpenMax);
    const bool busy = !opened && !opened.failure().request_id.empty() && is_passing(opened.failure());
    if (!busy || Clock::now() >= until) return opened;
    if (attempt == 1) shell.note("the server is busy; trying again");
    std::vector<Watch> none;
    socket.wait(none, false, Clock::now() + pause_before_attempt(attempt));
  }
}

}  // namespace berth::cli
