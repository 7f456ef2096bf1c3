// The table of pending sessions: each row is found by its id, counted in its group, and reserved if and only
// if a place is held for it.
#include "controller/placement/audit/parts.h"
#include "controller/placement/order/queue.h"

namespace berth::placement::audit {

namespace {

std::string check_held_places(const Model& model) {
  for (const auto& [id, held] : model.held_places) {
    const std::string where = "held place of session " + to_string(id);
    const PendingIndex session = model.find_pending_index(id);
    if (session == kNothing || session != held.session) return where + ": the session does not wait";
    if (!model.pending[session].reserved) return where + ": the session is not reserved";
    for (std::size_t i = 0; i < held.kernels.size(); ++i) {
      const Live::Kernel& kernel = held.kernels[i];
      if (i > 0 && held.kernels[i - 1].kernel >= kernel.kernel)
        return where + ": its kernels are out of order";
      if (kernel.agent >= model.agents.size() || kernel.requirement >= model.requirements.size())
        return where + ": a kernel names an agent or a requirement that is not there";
    }
  }
  return {};
}

}  // namespace

std::string pending(const Model& model) {
  bool wrong = false;
  const std::vector<bool> is_free = free_rows(model.pending.size(), model.free_pending, &wrong);
  if (wrong) return "pending sessions: a free row is listed twice";
  std::size_t waiting = 0, reserved = 0, counted = 0;
  for (PendingIndex index = 0; index < model.pending.size(); ++index) {
    if (is_free[index]) continue;
    const Pending& session = model.pending[index];
    ++waiting;
    reserved += session.reserved ? 1 : 0;
    if (model.find_pending_index(session.id) != index)
      return "pending session " + to_string(session.id) + ": not found by its id";
    if (session.session_class >= model.classes.size() || model.classes[session.session_class].pending == 0)
      return "pending session " + to_string(session.id) + ": its class is not there";
    const Group& group = model.groups[model.classes[session.session_class].key.group];
    if (session.demoted != demoted(group, session.retries))
      return "pending session " + to_string(session.id) + ": demoted against its retries";
  }
  for (const Group& group : model.groups) counted += group.pending;
  if (auto text = check_held_places(model); !text.empty()) return text;
  if (auto text = differs("pending sessions", "number of ids", model.pending_ids.size(), waiting);
      !text.empty())
    return text;
  if (auto text = differs("pending sessions", "number of held places", model.held_places.size(), reserved);
      !text.empty())
    return text;
  return differs("pending sessions", "sum over groups", counted, waiting);
}

}  // namespace berth::placement::audit
