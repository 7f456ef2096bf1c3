#include "controller/api/folders/access_watch.h"

#include "controller/api/folders/file_place.h"

namespace berth::controller::api {
namespace {

constexpr Duration kLookEvery = kSecond;

bool still_may(const StateView& view, const Caller& caller, const FolderId& folder,
               projections::FolderAccess least, Timestamp now) {
  const projections::State& state = view.state;
  if (!is_still_signed_in(state, caller, now)) return false;
  const projections::FolderRow* row = state.folders.find(folder);
  return row != nullptr && row->state == projections::FolderState::kReady &&
         access_of(actor_of(state, caller), *row) >= least;
}

}  // namespace

bool AccessWatch::may_go_on() {
  const Timestamp boottime = context_.clock().now().boottime;
  if (boottime - looked_ < kLookEvery) return true;
  looked_ = boottime;
  const Timestamp now = context_.now();
  bool may = false;
  context_.with_state([&](const StateView& view) { may = still_may(view, caller_, folder_, least_, now); });
  return may;
}

}  // namespace berth::controller::api
