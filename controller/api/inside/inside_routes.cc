// /v1/sessions/{session}/exec, shell, copy, shells and losses: what people do in their sessions' kernels, and
// what ends with them.
#include "controller/api/inside/losses.h"
#include "controller/api/inside/relay.h"
#include "controller/api/inside/shell_list.h"
#include "controller/api/inside/way_in.h"

namespace berth::controller::api {
namespace {

using projections::Noun;
using projections::Verb;

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

template <v1::WayKind kind>
void open_stream(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto kernel = read_kernel(call, reply);
  if (!kernel) return;
  // A copy out of a kernel changes nothing in it: which way it goes, its first message says.
  if (refuses_stream(services, call, reply, kind == v1::WAY_KIND_COPY)) return;
  with_kernel(services, call, reply, kind == v1::WAY_KIND_SHELL ? Noun::kTerminal : Noun::kExec, *kernel,
              [&](const FoundKernel& found) {
                const InsideRelay::Wanted wanted{kind, {call, found.facts.session, found.place}, ImageApp()};
                begin_stream(services, call, reply, std::make_shared<InsideRelay>(services, wanted),
                             found.facts);
              });
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
  const Route::Need act_exec{Noun::kExec, Verb::kAct}, act_terminal{Noun::kTerminal, Verb::kAct};
  return {{"GET", "/v1/sessions/{session}/exec", "openExec", open_stream<v1::WAY_KIND_EXEC>, act_exec},
          {"GET", "/v1/sessions/{session}/shell", "openShell", open_stream<v1::WAY_KIND_SHELL>, act_terminal},
          {"GET", "/v1/sessions/{session}/copy", "openCopy", open_stream<v1::WAY_KIND_COPY>, act_exec},
          {"GET", "/v1/sessions/{session}/shells", "listShells", answer_list, act_terminal},
          {"DELETE", "/v1/sessions/{session}/shells/{shell}", "endShell", answer_end, act_terminal},
          {"GET", "/v1/sessions/{session}/losses", "getLosses", answer_losses, {Noun::kSession, Verb::kEnd}}};
}

}  // namespace berth::controller::api
