#include "controller/runtime/past_keeper.h"

#include <spdlog/spdlog.h>

namespace berth::controller {

PastKeeper::PastKeeper(const std::string& folder, const Uuid& cluster, projections::Store& store)
    : cluster_(cluster), inner_(store) {
  auto opened = projections::CheckpointDb::open(folder, cluster);
  if (!opened) {
    spdlog::warn("no checkpoints of the past are kept: {}", to_string(opened.error()));
    return;
  }
  checkpoints_ = std::move(*opened);
  projections::PastRecorder::Options options;
  options.on_warning = [](const Error& error) { spdlog::warn("the past: {}", to_string(error)); };
  recorder_ = std::make_unique<projections::PastRecorder>(inner_, *checkpoints_, options);
}

projections::Store& PastKeeper::store() {
  return recorder_ ? static_cast<projections::Store&>(*recorder_) : inner_;
}

projections::PastDesk& PastKeeper::start(CellNode& node, EventLog& log, JournalTrust trust) {
  projections::PastDesk::Parts parts{{cluster_, std::move(trust), log, checkpoints_.get(),
                                      [&node](Offset offset) { return node.voids().contains(offset); }},
                                     [&node] { return node.next(); },
                                     [&node] { return node.now(); }};
  desk_ = std::make_unique<projections::PastDesk>(std::move(parts), projections::PastDesk::Options{});
  return *desk_;
}

void PastKeeper::stop_desk() {
  if (desk_) desk_->stop();
}

void PastKeeper::stop() {
  stop_desk();
  if (recorder_) recorder_->stop();
}

}  // namespace berth::controller
