#include "controller/cell/leader/input_queue.h"

namespace berth::controller {

void InputQueue::wait_for(const std::vector<CheckInput>& checks) {
  for (const auto& check : checks) {
    expected_[check.partition] = check.next;
    unchecked_.insert(check.partition);
  }
}

InputQueue::Checked InputQueue::checked(const InputChecked& answer) {
  if (unchecked_.erase(answer.partition) == 0)
    return answer.same ? Checked::kGlanceSame : Checked::kGlanceDiffers;
  Offset& next = expected_[answer.partition];
  if (answer.same && answer.begin <= next) return Checked::kSame;
  // Idempotency keys and P22 make reading again harmless.
  next = answer.begin;
  items_.push_back({{answer.partition, answer.begin, {}}, true});
  return Checked::kReadAgain;
}

Offset InputQueue::expected(const Partition& partition) const {
  const auto it = expected_.find(partition);
  return it == expected_.end() ? 0 : it->second;
}

void InputQueue::read(LogEntry entry) {
  const auto it = expected_.find(entry.partition);
  if (it == expected_.end() || entry.offset < it->second) return;
  if (entry.offset > it->second) items_.push_back({{entry.partition, entry.offset, {}}, true});
  it->second = entry.offset + 1;
  if (!entry.gap) items_.push_back({std::move(entry), false});  // the next input's range spans it (P30)
}

InputQueue::Item InputQueue::pop() {
  Item item = std::move(items_.front());
  items_.pop_front();
  return item;
}

std::vector<CheckInput> checks_of_inputs(const projections::State& state, const LogLayout& layout) {
  std::vector<CheckInput> checks;
  for (const Stream stream : {Stream::kRequests, Stream::kReports})
    for (std::uint32_t i = 0; i < layout.partitions_of(stream); ++i) {
      const Partition partition{stream, i};
      const auto* row = state.inputs.find(to_string(partition));
      checks.push_back({partition, 0, 0, {}});
      if (row != nullptr) checks.back() = {partition, row->next, row->last_crc, row->marks};
    }
  return checks;
}

}  // namespace berth::controller
