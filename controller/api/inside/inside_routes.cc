// /v1/sessions/{session}/exec, shell, copy and shells: what people do in their sessions' kernels.
#include "controller/api/inside/find_kernel.h"
#include "controller/api/inside/relay.h"
#include "controller/api/inside/shell_list.h"
#include "controller/api/inside/upgrade.h"
#include "controller/api/login/sign_in.h"
#include "controller/api/routes/past_session.h"

namespace berth::controller::api {
namespace {

using projections::Noun;
using projections::Verb;

// Finds the kernel, and goes on; else replies why not. One that ended long ago is told apart from none.
void with_kernel(const Services& services, const CallPtr& call, const Reply& reply, Noun noun,
                 const std::string& kernel, const std::function<void(FoundKernel)>& go_on) {
  Result<FoundKernel> found = make_error("internal-error", "no state");
  services.context.with_state([&](const StateView& view) {
    found = find_kernel_to_act_in(view, call->caller, call->path[0], kernel, noun);
  });
  if (found.ok()) return go_on(std::move(*found));
  if (!is_unknown_session(found.error())) return reply(problem_reply(to_problem(found.error()), *call));
  services.blocking.post([services, call, reply, error = found.error()] {
    const auto past = find_past(services, call->caller, call->path[0], error);
    reply(problem_reply(past.ok()
                            ? make_problem("session-ended", "session " + past->session.name + " has ended",
                                           "berth session logs shows what it wrote")
                            : to_problem(past.error()),
                        *call));
  });
}

// ?kernel=, the only parameter; nullopt: the call was replied to with what is wrong.
std::optional<std::string> read_kernel(const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  std::string kernel = query.text("kernel").value_or("main1");
  query.finish();
  if (errors.empty()) return kernel;
  reply(problem_reply(std::move(errors).take(), *call));
  return std::nullopt;
}

// A copy out of a kernel changes nothing in it: which way it goes, its first message says.
bool may_only_read(StreamKind kind) { return kind == StreamKind::kCopy; }

std::optional<Problem> check_stream(const Services& services, const Call& call, StreamKind kind) {
  if (auto problem = check_upgrade(call.request)) return problem;
  if (auto problem = check_stream_origin(services.sign_in.names, services.sign_in.provenance_of(call.request),
                                         call.cookie.has_value()))
    return problem;
  if (call.caller.read_only && !may_only_read(kind))
    return make_problem("key-read-only",
                        "this key pair reads, and programs and terminals change what they like",
                        "use another key pair");
  return std::nullopt;
}

void begin_stream(const Services& services, const CallPtr& call, const Reply& reply, StreamKind kind,
                  FoundKernel kernel) {
  auto relay = std::make_shared<InsideRelay>(
      services, InsideRelay::Wanted{kind, call, kernel.facts.session, std::move(kernel.place)});
  if (const auto refused = services.streams.add(relay, std::move(kernel.facts)))
    return reply(problem_reply(to_problem(*refused), *call));
  relay->begin();
  HttpReply out;
  out.status = 101;
  out.set("Sec-WebSocket-Protocol", kSubprotocol);
  out.relay = std::move(relay);
  reply(std::move(out));
}

template <StreamKind kind>
void open_stream(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto kernel = read_kernel(call, reply);
  if (!kernel) return;
  if (const auto problem = check_stream(services, *call, kind)) {
    HttpReply refusal = problem_reply(*problem, *call);
    if (problem->status == 426) {
      refusal.set("Upgrade", "websocket");
      refusal.set("Sec-WebSocket-Version", "13");
    }
    return reply(std::move(refusal));
  }
  with_kernel(services, call, reply, kind == StreamKind::kShell ? Noun::kTerminal : Noun::kExec, *kernel,
              [&](FoundKernel found) { begin_stream(services, call, reply, kind, std::move(found)); });
}

void answer_list(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto kernel = read_kernel(call, reply);
  if (!kernel) return;
  with_kernel(services, call, reply, Noun::kTerminal, *kernel,
              [&](const FoundKernel& found) { list_shells(services, call, reply, found.place); });
}

void answer_end(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto kernel = read_kernel(call, reply);
  if (!kernel) return;
  with_kernel(services, call, reply, Noun::kTerminal, *kernel, [&](const FoundKernel& found) {
    end_shell(services, call, reply, found.place, call->path[1]);
  });
}

}  // namespace

std::vector<Route> inside_routes() {
  constexpr auto kOfAnybody = Route::kAnybody;
  return {{"GET",
           "/v1/sessions/{session}/exec",
           "openExec",
           kOfAnybody,
           open_stream<StreamKind::kExec>,
           {{Noun::kExec, Verb::kAct}}},
          {"GET",
           "/v1/sessions/{session}/shell",
           "openShell",
           kOfAnybody,
           open_stream<StreamKind::kShell>,
           {{Noun::kTerminal, Verb::kAct}}},
          {"GET",
           "/v1/sessions/{session}/copy",
           "openCopy",
           kOfAnybody,
           open_stream<StreamKind::kCopy>,
           {{Noun::kExec, Verb::kAct}}},
          {"GET",
           "/v1/sessions/{session}/shells",
           "listShells",
           kOfAnybody,
           answer_list,
           {{Noun::kTerminal, Verb::kAct}}},
          {"DELETE",
           "/v1/sessions/{session}/shells/{shell}",
           "endShell",
           kOfAnybody,
           answer_end,
           {{Noun::kTerminal, Verb::kAct}}}};
}

}  // namespace berth::controller::api
