// GET /v1/sessions/{session}/logs: what a kernel wrote, read from its agent.
#include "controller/api/routes/session_logs.h"

#include <algorithm>

#include "controller/api/routes/past_session.h"

namespace berth::controller::api {
namespace {

Error no_such_kernel(const projections::SessionRow& session, const std::string& kernel,
                     const std::vector<projections::KernelRow>& kernels) {
  if (kernels.empty() && projections::is_end(session.status)) {
    const bool cancelled = session.status == projections::SessionStatus::kCancelled;
    return make_error("unknown-kernel",
                      "session " + session.name + (cancelled ? " was cancelled" : " ended") +
                          " before it started (" + session.reason_code + ")" +
                          (session.message.empty() ? "" : ": " + session.message),
                      "no kernel of it ever ran, so there is no log");
  }
  return make_error("unknown-kernel", "the session has no kernel '" + clipped(kernel) + "'",
                    kernels.empty() ? "it is not placed yet" : "its first is " + kernels.front().hostname());
}

// The kernel by its name or id, of a live or a past session.
Result<LogRequest> find_kernel(const Services& services, const Call& call, const std::string& kernel) {
  projections::SessionRow found;
  std::vector<projections::KernelRow> kernels;
  std::optional<Error> not_found;
  services.context.with_state([&](const StateView& view) {
    const auto session = find_session(view.state, call.caller, call.path[0]);
    if (!session.ok()) {
      not_found = session.error();
      return;
    }
    found = **session;
    for (const KernelId& id : found.kernel_ids)
      if (const auto* row = view.state.kernels.find(id)) kernels.push_back(*row);
  });
  if (not_found && is_unknown_session(*not_found)) {
    auto past = find_past(services, call.caller, call.path[0], *not_found);
    if (!past.ok()) return past.error();
    found = std::move(past->session);
    kernels = std::move(past->kernels);
    for (auto& row : kernels) row.spec = found.spec;
  } else if (not_found) {
    return *not_found;
  }
  for (const auto& row : kernels) {
    if (row.hostname() != kernel && to_string(row.id) != kernel) continue;
    LogRequest request;
    request.kernel = row.id;
    request.attempt = row.attempt;
    request.agent = row.agent;
    request.ended = row.state == projections::KernelState::kTerminated;
    services.context.with_state([&](const StateView& view) {
      if (const auto* agent = view.state.agents.find(row.agent)) request.address = agent->address;
    });
    return request;
  }
  return no_such_kernel(found, kernel, kernels);
}

HttpReply log_reply(const Call& call, const LogRequest& asked, Result<LogPage> page) {
  // An ended kernel without a log has an empty log.
  const auto at = static_cast<std::uint64_t>(std::max<std::int64_t>(asked.offset, 0));
  if (!page.ok() && asked.ended && page.error().code == "unknown-kernel") page = LogPage{at, at, true, {}};
  if (!page.ok()) return problem_reply(to_problem(page.error()), call);
  HttpReply out;
  out.content_type = "application/octet-stream";
  out.body = std::move(page->bytes);
  out.set("X-Berth-Log-Offset", std::to_string(page->offset));
  out.set("X-Berth-Log-Next", std::to_string(page->next));
  out.set("X-Berth-Log-End", page->end ? "true" : "false");
  return out;
}

}  // namespace

void session_logs(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const std::string kernel = query.text("kernel").value_or("main1");
  const std::int64_t offset = query.integer("offset", INT64_MIN / 2, INT64_MAX / 2).value_or(0);
  const auto limit = static_cast<std::uint32_t>(query.integer("limit", 1, 1 << 20).value_or(64 << 10));
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  take_turn(services, call, reply, Turns::Work::kShort, [=] {
    auto request = find_kernel(services, *call, kernel);
    if (!request.ok()) return reply(problem_reply(to_problem(request.error()), *call));
    request->offset = offset;
    request->limit = limit;
    services.context.kernel_log(*request, [call, reply, asked = *request](Result<LogPage> page) {
      reply(log_reply(*call, asked, std::move(page)));
    });
  });
}

}  // namespace berth::controller::api
