#include "agents/core/kernel_table.h"

#include <algorithm>

#include "events/codec/words/codes.h"

namespace berth::agents {
namespace {

constexpr std::uint32_t kDoublingsMax = 16;
constexpr std::size_t kMessageMax = 1000;  // a fact is an event later: a record has its limit (P4)

}  // namespace

KernelRecord* KernelTable::find(const KernelKey& key) {
  const auto it = records_.find(key);
  return it == records_.end() ? nullptr : &it->second;
}

KernelRecord& KernelTable::add(const KernelKey& key, KernelPhase phase) {
  const auto [it, fresh] = records_.try_emplace(key);
  BERTH_CHECK(fresh, "kernel added twice");
  KernelRecord& record = it->second;
  record.key = key;
  record.phase = phase;
  record.was_given = phase == KernelPhase::kGiven;
  record.fact.set_kernel_id(std::string(key.kernel.view()));
  record.fact.set_attempt(key.attempt);
  record.fact.set_state(v1::SCHEDULED);
  ++live_;
  return record;
}

void KernelTable::erase(const KernelKey& key) {
  const auto it = records_.find(key);
  if (it == records_.end()) return;
  if (!it->second.ended()) --live_;
  if (it->second.tell_at != 0) due_.erase({it->second.tell_at, key});
  changed_.erase(key);
  records_.erase(it);
}

std::vector<KernelKey> KernelTable::keys() const {
  std::vector<KernelKey> all;
  all.reserve(records_.size());
  for (const auto& [key, record] : records_) all.push_back(key);
  return all;
}

bool KernelTable::advance(KernelRecord& record, v1::KernelState state) {
  if (record.fact.state() >= state) return false;
  record.fact.set_state(state);
  return true;
}

bool KernelTable::end(KernelRecord& record, v1::KernelEnd how, Code code, std::string message) {
  if (record.ended()) return false;
  if (message.size() > kMessageMax) message.resize(kMessageMax);
  record.phase = KernelPhase::kEnded;
  record.order.reset();
  record.fact.set_state(v1::TERMINATED);
  record.fact.set_end(how);
  record.fact.set_code(wire(code));
  record.fact.set_message(std::move(message));
  --live_;
  return true;
}

void KernelTable::take_changes(std::size_t max, Timestamp now, v1::Report& report) {
  while (!changed_.empty() && max-- > 0) {
    KernelRecord& record = records_.at(*changed_.begin());
    changed_.erase(changed_.begin());
    *report.add_facts() = record.fact;
    told(record, now);
  }
}

void KernelTable::told(KernelRecord& record, Timestamp now) {
  if (!record.ended()) return;
  if (record.tell_at != 0) due_.erase({record.tell_at, record.key});
  record.tell_at = now + std::min(retell_max_, retell_first_ << std::min(record.tellings++, kDoublingsMax));
  due_.insert({record.tell_at, record.key});
}

void KernelTable::mark_due(Timestamp now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    changed_.insert(due_.begin()->second);
    records_.at(due_.begin()->second).tell_at = 0;
    due_.erase(due_.begin());
  }
}

}  // namespace berth::agents
