#include "controller/api/routes/user_in_group.h"

#include "projections/subjects.h"

namespace berth::controller::api {

std::optional<Problem> missing_group(const projections::State& state, const Caller& caller,
                                     const std::string& group) {
  const auto* row = state.groups.find(group);
  if (group.empty() || (row != nullptr && sees_group(actor_of(state, caller), row->def))) return std::nullopt;
  Problem problem = make_problem("unknown-group", "no resource group is named '" + clipped(group) + "'",
                                 "berth group ls lists them");
  problem.status = 404;
  return problem;
}

std::optional<Problem> missing_user(const projections::State& state, const Caller& caller,
                                    const std::string& user) {
  if (user == caller.user) return std::nullopt;
  const auto* row = state.users.find(user);
  if (row != nullptr &&
      may(actor_of(state, caller), projections::Noun::kUser, projections::Verb::kSee, row->def))
    return std::nullopt;
  return make_problem("unknown-user", "no user is named '" + clipped(user) + "'", "berth user ls lists them");
}

void reply_for_user_in_group(
    const Services& services, const CallPtr& call, const Reply& reply,
    const std::function<void(const StateView& view, const std::string& user, const std::string& group,
                             boost::json::object& body)>& add) {
  Errors errors;
  Query query(call->target, errors);
  const std::string group = query.text("group").value_or("default");
  const std::string user = query.text("user").value_or(call->caller.user);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    auto missing = missing_group(view.state, call->caller, group);
    if (!missing) missing = missing_user(view.state, call->caller, user);
    if (missing) {
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
