#include "ops/cli/log_shell/offline_decision.h"

#include "controller/answers/decision/past_decision.h"
#include "controller/api/map/decision/decision_json.h"

namespace berth::cli {

Result<boost::json::value> offline_decision(OfflineLog& log, Offset position,
                                            std::optional<std::uint32_t> index) {
  if (position >= log.next())
    return make_error("future-moment", "the log has no record " + std::to_string(position),
                      "its last one is " + std::to_string(log.next() - 1));
  if (position < log.first())
    return make_error("before-the-log", "the log begins later",
                      "its first record is " + std::to_string(log.first()));
  const auto record = log.record(position);
  if (!record) return record.error();
  const v1::Record decided = *record ? **record : v1::Record();
  const auto decision = controller::decision_in(decided, position, index);
  if (!decision) return decision.error();
  const auto began =
      controller::find_pass(*decision, decided, [&](Offset offset) -> Result<std::optional<v1::Record>> {
        if (offset < log.first()) return std::optional<v1::Record>();
        return log.record(offset);
      });
  if (!began) return began.error();
  if (began->offset <= log.first())
    return make_error("inputs-not-recorded", "the log begins with the record in which the pass began");
  const auto before = log.state(began->offset - 1);
  if (!before) return before.error();
  const auto replayed = controller::replay_decision(*(*before)->projection, began->record, *decision,
                                                    [](const projections::SessionRow&) { return true; });
  if (!replayed) return replayed.error();
  return boost::json::value(controller::api::decision_to_json(controller::api::SlotKinds((*before)->state()),
                                                              *decision, *began, *replayed));
}

}  // namespace berth::cli
