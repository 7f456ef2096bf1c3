#include "controller/api/past/past_context.h"

#include "controller/answers/answers.h"
#include "projections/store/history_codec.h"

namespace berth::controller::api {
namespace {

using projections::HistoryEntry;
using projections::HistoryPage;

constexpr std::size_t kLookedMax = 20'000;  // entries looked at for one that has a name
constexpr std::size_t kLookAtOnce = 500;

// Before the newest session that ended at that time.
std::string token_before(Timestamp ended_at) {
  projections::SessionRow row;
  row.ended_at = ended_at;
  return projections::history_token(projections::history_key(row));
}

}  // namespace

Instant PastContext::StoppedClock::now() const {
  return {context_.state_->point.time, context_.now_.clock().now().boottime};
}

void PastContext::with_state(const std::function<void(const StateView&)>& read) {
  read({state_->state(), state_->point.position, true, &state_->point});
}

// One that ended by then is in the state of then, or had left it already.
bool PastContext::is_of_then(const HistoryEntry& entry) const {
  return entry.session.ended_at <= state_->point.time &&
         state_->state().sessions.find(entry.session.id) == nullptr;
}

Result<std::optional<HistoryEntry>> PastContext::find_history(const SessionId& id) {
  auto found = now_.find_history(id);
  if (found.ok() && *found && !is_of_then(**found)) return std::optional<HistoryEntry>();
  return found;
}

Result<HistoryPage> PastContext::read_history(std::size_t limit, const std::string& token) {
  auto page = now_.read_history(limit, token.empty() ? token_before(state_->point.time) : token);
  if (page.ok()) std::erase_if(page->entries, [this](const HistoryEntry& e) { return !is_of_then(e); });
  return page;
}

// The newest of that name is known; of then it may be an older one.
Result<std::optional<HistoryEntry>> PastContext::find_history_by_name(const std::string& user,
                                                                      const std::string& name) {
  auto newest = now_.find_history_by_name(user, name);
  if (!newest.ok() || !*newest || is_of_then(**newest)) return newest;
  std::string token;
  for (std::size_t looked = 0; looked < kLookedMax; looked += kLookAtOnce) {
    auto page = read_history(kLookAtOnce, token);
    if (!page.ok()) return page.error();
    for (HistoryEntry& entry : page->entries)
      if (entry.session.name == name && (user.empty() || entry.session.owner->owner.user() == user))
        return std::optional(std::move(entry));
    token = page->next_token;
    if (token.empty()) break;
  }
  return std::optional<HistoryEntry>();
}

// A scheduler's model of then, for this question alone.
Result<Explanation> PastContext::why(const SessionId& session, const SeesSession& sees) {
  const projections::State copy(state_->state());
  Answers answers;
  return answers.why(copy, state_->point.time, session, sees);
}

ClusterFacts PastContext::facts() {
  ClusterFacts facts = now_.facts();
  facts.point = state_->projection->chain().last();
  facts.leading = false;
  facts.truncation.reset();
  return facts;
}

}  // namespace berth::controller::api
