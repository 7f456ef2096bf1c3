#include "ops/cli/apps/app_talk.h"

#include <boost/json.hpp>

#include "ops/cli/output/json_text.h"
#include "ops/cli/problem_codes.h"

namespace berth::cli {
namespace {

Outcome<AppHeard> app_now_in(const boost::json::value& said) {
  const std::string state = text_at(said, "state");
  AppNow now;
  if (state == "ready")
    now.state = AppNow::State::kReady;
  else if (state == "ended")
    now.state = AppNow::State::kEnded;
  else if (state != "starting")
    return Failure{kFailed,
                   kNotBerthCode,
                   "this is no message of Berth: nobody knows the state '" + state.substr(0, 40) + "'",
                   "is this `berth` older than the server?",
                   {}};
  now.exit_code = static_cast<int>(integer_at(said, "exit_code"));
  now.signal = static_cast<int>(integer_at(said, "signal"));
  return AppHeard(now);
}

}  // namespace

Outcome<SocketMessage> start_message(const std::vector<std::string>& arguments,
                                     const std::map<std::string, std::string>& environment) {
  boost::json::object said;
  if (!arguments.empty()) said["arguments"] = boost::json::array(arguments.begin(), arguments.end());
  if (!environment.empty()) said["environment"] = boost::json::value_from(environment);
  std::string text = boost::json::serialize(said);
  boost::system::error_code error;
  boost::json::parse(text, error);
  if (error) return usage_failure("arguments and variables are to be UTF-8");
  return SocketMessage{false, std::move(text)};
}

Outcome<AppHeard> heard_of_app(SocketMessage message) {
  if (!message.binary) {
    boost::system::error_code error;
    const auto said = boost::json::parse(message.bytes, error);
    const auto* app = error ? nullptr : find_path(said, "app");
    if (app != nullptr && said.get_object().size() == 1) return app_now_in(*app);
  }
  auto heard = heard_in(std::move(message));
  if (!heard) return heard.failure();
  return AppHeard(std::move(*heard));
}

}  // namespace berth::cli
