#include "controller/api/live/session_texts.h"

namespace berth::controller::api {

void SessionTexts::write(JsonText& out, const projections::State& state, const SlotKinds& kinds,
                         const std::vector<const projections::SessionRow*>& sessions,
                         const projections::Actor& actor) {
  const QueuePositions positions = queue_positions(state, sessions);
  out.reserve(sessions.size() * kUsualSessionBytes);
  const std::lock_guard lock(writing_);
  for (const projections::SessionRow* session : sessions) {
    SessionExtras extras;
    extras.automatic_folder = projections::automatic_folder_in(state, *session);
    extras.gone_agent = projections::gone_agent(state, *session);
    extras.hides_preemptor = !session->preemptor.is_nil() && !may_see_preemptor(actor, *session);
    const bool mounts = session->spec && !session->spec->spec.mounts().empty();
    const auto* shares = state.session_shares.find(session->id);
    if (projections::is_waiting(session->status) || extras.hides_preemptor || mounts || shares != nullptr) {
      if (const auto found = positions.find(session->id); found != positions.end())
        extras.queue_position = found->second;
      extras.build_percent = build_percent(state, *session);
      extras.mount_names = mount_names(state, *session, actor);
      extras.shares = shares_shown(*session, shares, actor);
      write_session(out, kinds, *session, kernels_of(state, *session), extras);
      continue;
    }
    const auto kept = texts_.find(session->id);
    if (kept != texts_.end()) {
      out.raw(kept->second);
      continue;
    }
    JsonText text;
    write_session(text, kinds, *session, kernels_of(state, *session), extras);
    if (texts_.size() >= most_) texts_.clear();
    out.raw(texts_.emplace(session->id, text.take()).first->second);
  }
}

}  // namespace berth::controller::api
