// A way into a kernel is recorded before an API server opens it: so every reader of the log knows who was in
// a kernel, and whoever may no more is refused here, whatever the server has read. What is done in the kernel
// is in no event.
#include <algorithm>

#include "controller/decide/check_actor.h"
#include "controller/decide/decide.h"
#include "events/base/text.h"
#include "events/codec/words/enum_words.h"
#include "projections/session_access.h"

namespace berth::controller {
namespace {

using projections::KernelRow;
using projections::KernelState;
using projections::Noun;
using projections::SessionRow;

// Shells and apps, which have names of their own.
bool is_terminal(v1::WayKind kind) { return kind == v1::WAY_KIND_SHELL || kind == v1::WAY_KIND_APP; }

// As the helper in a kernel takes it (events/inside).
bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= kNameMax && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

std::optional<Refusal> check_what(const v1::OpenKernel& body) {
  if (!has_word(body.kind()))
    return Refusal{"invalid-value", "'" + word(body.kind()) + "' is no way into a kernel",
                   "exec, shell, copy or app"};
  if (is_terminal(body.kind()) ? is_name(body.name()) : body.name().empty()) return std::nullopt;
  return Refusal{"invalid-name",
                 "'" + clipped(body.name()) + "' is no name of what this opens: " + word(body.kind()),
                 "a shell or app has 1 to 64 letters, digits, '-', '_' and '.'; others have none"};
}

const KernelRow* find_kernel(const DecisionContext& c, const SessionRow& session, const std::string& bytes) {
  const auto id = Uuid::from_bytes(bytes);
  const KernelRow* kernel = id ? c.state.kernels.find(KernelId(*id)) : nullptr;
  return kernel != nullptr && kernel->session == session.id ? kernel : nullptr;
}

Refusal not_running(const SessionRow& session, const std::string& state) {
  return {"session-not-running", "session " + session.name + " is " + state,
          "a kernel is opened while it runs"};
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::Request& request, const v1::OpenKernel& body) {
  if (!c.actor) return denied("a kernel is opened for a user");
  if (auto refusal = check_what(body)) return *refusal;
  const SessionRow* session = find_seen_session(c, body.session_id());
  if (session == nullptr) return unknown_session();
  const Noun noun = is_terminal(body.kind()) ? Noun::kTerminal : Noun::kExec;
  if (!projections::may_act_in_session(c.state, *c.actor, noun, *session))
    return denied("you may see session " + session->name + ", and not act in it");
  const KernelRow* kernel = find_kernel(c, *session, body.kernel_id());
  const bool has_kernels = !session->kernel_ids.empty();
  if (kernel == nullptr && has_kernels)
    return Refusal{"unknown-kernel", "session " + session->name + " has no such kernel",
                   "berth session show names its kernels"};
  if (!has_kernels || session->is_leaving()) return not_running(*session, name_of(session->status));
  if (kernel->state != KernelState::kRunning) return not_running(*session, name_of(kernel->state));
  EventList events;
  auto* opened = events.add(c.stamp).mutable_kernel_opened();
  opened->set_session_id(body.session_id());
  opened->set_kernel_id(body.kernel_id());
  opened->set_attempt(kernel->attempt);
  opened->set_kind(body.kind());
  opened->set_name(body.name());
  opened->set_user(c.actor->user);
  opened->set_key_pair(request.owner().keypair());
  opened->set_browser_session(request.browser_session());
  return events;
}

}  // namespace berth::controller
