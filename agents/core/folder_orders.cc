#include "agents/core/folder_orders.h"

#include "events/codec/words/codes.h"

namespace berth::agents {

bool FolderOrders::add(const v1::FolderOrder& order) {
  const auto volume = Uuid::from_bytes(order.volume()), folder = Uuid::from_bytes(order.folder());
  if (!volume || volume->is_nil() || !folder || folder->is_nil()) return false;
  const FolderWork work{VolumeId(*volume), FolderId(*folder), order.purge()};
  if (current_ == work)
    waiting_.erase(work.folder);
  else
    waiting_[work.folder] = work;
  return true;
}

std::optional<FolderWork> FolderOrders::next() {
  if (current_ || waiting_.empty()) return std::nullopt;
  current_ = waiting_.begin()->second;
  waiting_.erase(waiting_.begin());
  return current_;
}

void FolderOrders::done(const Result<void>& result) {
  v1::FolderFact& fact = facts_.emplace_back();
  fact.set_folder(std::string(current_->folder.view()));
  if (result) {
    fact.set_result(current_->purge ? v1::FOLDER_REMOVED : v1::FOLDER_MADE);
  } else {
    fact.set_result(v1::FOLDER_FAILED);
    fact.set_code(wire(result.error().code));
    fact.set_message(result.error().message);
  }
  current_.reset();
}

void FolderOrders::take_facts(std::size_t max, v1::Report& report) {
  for (; max > 0 && !facts_.empty(); --max) {
    *report.add_folders() = std::move(facts_.front());
    facts_.pop_front();
  }
}

}  // namespace berth::agents
