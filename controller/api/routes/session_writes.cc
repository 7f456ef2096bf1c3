#include "controller/api/routes/session_writes.h"

#include "controller/api/map/explanation_json.h"
#include "controller/api/map/folders/folder_lookup.h"
#include "controller/api/map/session_json.h"
#include "controller/api/map/session_request.h"
#include "controller/api/routes/asker.h"
#include "controller/api/routes/past_session.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

void write_session_or_id(JsonText& out, const projections::State& state, const SlotKinds& kinds,
                         const SessionId& id, const projections::Actor& actor) {
  if (const auto* session = state.sessions.find(id)) return write_session(out, state, kinds, *session, actor);
  out.open('{');  // of a repeated request: the session left the state
  out.put("id", to_string(id));
  out.close('}');
}

HttpReply created(const Services& services, const Call& call, const RequestAnswer& answer,
                  const json::array& dependencies) {
  json::array warnings;
  projections::SpecPtr spec;  // of all of them
  JsonText out;
  out.open('{');
  out.key("sessions").open('[');
  services.context.with_state([&](const StateView& view) {
    const SlotKinds kinds(view.state);
    const projections::Actor actor = actor_of(view.state, call.caller);
    for (const SessionId& id : answer.row.sessions) {
      write_session_or_id(out, view.state, kinds, id, actor);
      const auto* row = view.state.sessions.find(id);
      if (row != nullptr && !spec) spec = row->spec;
    }
  });
  out.close(']');
  if (const std::string never = spec ? services.context.never_warning(spec->spec) : ""; !never.empty())
    warnings.emplace_back(never);
  out.key("dependencies").raw(json::serialize(dependencies));
  out.key("warnings").raw(json::serialize(warnings));
  out.put("position", answer.position);
  out.close('}');
  return json_text_reply(answer.replayed ? 200 : 201, out.take());
}

HttpReply dry_run_reply(const Services& services, const Call& call, const v1::Request& request) {
  SeesSession sees;
  services.context.with_state(
      [&](const StateView& view) { sees = sees_of(view.state, actor_of(view.state, call.caller)); });
  const auto answer = services.context.dry_run(request, sees);
  if (!answer.ok()) return problem_reply(to_problem(answer.error()), call);
  if (answer->refusal)
    return problem_reply(make_problem(answer->refusal->code, answer->refusal->message, answer->refusal->hint),
                         call);
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    out = json_reply(view, dry_run_to_json(SlotKinds(view.state), *answer));
  });
  return out;
}

// The request of this call; where the body is wrong it is replied so, and there is none.
std::optional<v1::Request> read_request(const Services& services, const Call& call, const Reply& reply) {
  const auto body = body_of(call);
  if (!body.ok()) {
    reply(problem_reply(to_problem(body.error()), call));
    return std::nullopt;
  }
  Errors errors;
  v1::Request request = request_of(services, call);
  const FindMountFolder find_folder = [&](const std::string& id_or_name) {
    Result<MountFolder> folder = make_error("internal-error", "no state");
    services.context.with_state([&](const StateView& view) {
      const auto found = find_folder_to_mount(view.state, call.caller, id_or_name);
      folder = found.ok() ? Result(MountFolder{(*found)->id, (*found)->name}) : found.error();
    });
    return folder;
  };
  *request.mutable_request_session() =
      read_session_request(*body, slot_kinds(services), *request.mutable_owner(), errors, find_folder);
  if (!errors.empty()) {
    reply(problem_reply(std::move(errors).take(), call));
    return std::nullopt;
  }
  std::optional<Error> missing;
  services.context.with_state(
      [&](const StateView& view) { missing = missing_project(view.state, request.owner()); });
  if (!missing) return request;
  reply(problem_reply(to_problem(*missing), call));
  return std::nullopt;
}

void ask_for_sessions(const Services& services, const CallPtr& call, const Reply& reply,
                      const v1::Request& request, json::array dependencies) {
  ask_and_reply(services, call, reply, request,
                [services, call, dependencies = std::move(dependencies)](const RequestAnswer& answer) {
                  return created(services, *call, answer, dependencies);
                });
}

}  // namespace

void create_sessions(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors mistakes;
  Query query(call->target, mistakes);
  const bool dry_run = query.flag("dry_run", false);
  query.finish();
  if (!mistakes.empty()) return reply(problem_reply(std::move(mistakes).take(), *call));
  const auto request = read_request(services, *call, reply);
  if (!request) return;
  if (!dry_run && request->request_session().depends_on().empty())
    return ask_for_sessions(services, call, reply, *request, {});
  take_turn(services, call, reply, Turns::Work::kShort, [=, request = *request]() mutable {  // reads the disk
    auto dependencies = resolve_dependencies(services, call->caller, *request.mutable_request_session());
    if (!dependencies.ok()) return reply(problem_reply(to_problem(dependencies.error()), *call));
    // A dry run refuses what a real request would be refused for, and appends nothing.
    if (dry_run) return reply(dry_run_reply(services, *call, request));
    ask_for_sessions(services, call, reply, request, std::move(*dependencies));
  });
}

HttpReply session_changed(const Services& services, const Call& call, const SessionId& id,
                          const RequestAnswer& answer) {
  JsonText out;
  out.open('{');
  out.key("session");
  services.context.with_state([&](const StateView& view) {
    write_session_or_id(out, view.state, SlotKinds(view.state), id, actor_of(view.state, call.caller));
  });
  out.put("position", answer.position);
  out.close('}');
  return json_text_reply(200, out.take());
}

void delete_session(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const bool forced = query.flag("forced", false);
  const std::string reason = read_reason(query);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  v1::Request request = request_of(services, *call);
  std::optional<Error> not_found;
  SessionId id;
  services.context.with_state([&](const StateView& view) {
    const auto session = session_to_change(view.state, call->caller, call->path[0]);
    if (session.ok())
      id = *session;
    else
      not_found = session.error();
  });
  if (not_found) return reply(problem_reply(to_problem(*not_found), *call));
  v1::TerminateSession& terminate = *request.mutable_terminate_session();
  terminate.set_session_id(std::string(id.view()));
  terminate.set_forced(forced);
  request.set_reason(reason);
  ask_and_reply(services, call, reply, request, [services, call, id](const RequestAnswer& answer) {
    return session_changed(services, *call, id, answer);
  });
}

}  // namespace berth::controller::api
