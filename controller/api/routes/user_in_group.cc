#include "controller/api/routes/user_in_group.h"

namespace berth::controller::api {

std::optional<Problem> missing_group(const projections::State& state, const std::string& group) {
  if (group.empty() || state.groups.find(group) != nullptr) return std::nullopt;
  Problem problem = make_problem("unknown-group", "no resource group is named '" + clipped(group) + "'",
                                 "berth group ls lists them");
  problem.status = 404;
  return problem;
}

void reply_for_user_in_group(
    const Services& services, const CallPtr& call, const Reply& reply,
    const std::function<void(const StateView& view, const std::string& user, const std::string& group,
                             boost::json::object& body)>& add) {
  Errors errors;
  Query query(call->target, errors);
  const std::string group = query.text("group").value_or("default");
  std::string user = query.text("user").value_or(call->caller.user);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  if (!call->caller.sees_all()) user = call->caller.user;
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    if (const auto missing = missing_group(view.state, group)) {
      out = problem_reply(*missing, *call);
      return;
    }
    boost::json::object body{{"group", group}, {"user", user}, {"position", position_or_null(view)}};
    add(view, user, group, body);
    out = json_reply(view, body);
  });
  reply(std::move(out));
}

}  // namespace berth::controller::api
