// PastViews: what lists need of a past state beside its rows: the order of its live sessions, and their
// texts. Made when a list first asks, and gone with the state: a second page, and a second person at the same
// moment, cost no walk over all sessions.
#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "controller/api/live/live_sessions.h"
#include "controller/api/live/session_texts.h"
#include "projections/store/past_state.h"

namespace berth::controller::api {

struct PastView {
  static constexpr std::size_t kTextsMax = 1'000;
  LiveSessions live;
  SessionTexts texts{kTextsMax};
};

class PastViews {
 public:
  // The same one for the same state, as long as somebody holds the state. Thread-safe.
  std::shared_ptr<PastView> of(const projections::PastPtr& state);

 private:
  struct Kept {
    std::weak_ptr<const projections::PastState> state;
    std::shared_ptr<PastView> view;
  };
  std::mutex mutex_;
  std::list<Kept> kept_;  // as many as there are states at hand, and those that went since the last call
};

}  // namespace berth::controller::api
