#include "tests/support/given.h"

#include <gtest/gtest.h>

namespace berth::testing {

using projections::State;

namespace {

template <class T> const T& must(const T* row, const std::string& what) {
  if (row == nullptr) {
    ADD_FAILURE() << "there is no " << what;
    std::abort();
  }
  return *row;
}

// Calls f(table number, key bytes, row bytes).
template <class F> void each_row(const State& state, F f) {
  State::each_table(state, [&](const auto& table) {
    for (const auto& key : table.sorted_keys()) {
      projections::RowEncoder encoder;
      auto row = *table.find(key);
      row.fields(encoder);
      f(decltype(row)::kTable, projections::key_bytes(key), encoder.view());
    }
  });
}

}  // namespace

Hash128 recomputed_hash(const State& state) {
  StateHash hash;
  each_row(state, [&](std::uint8_t table, const std::string& key, const std::string& bytes) {
    std::string input(1, static_cast<char>(table));
    input += static_cast<char>(key.size() & 0xFF);
    input += static_cast<char>(key.size() >> 8);
    hash.add(blake2b_128(input + key + bytes));
  });
  return hash.value();
}

std::string dump(const State& state) {
  std::string text;
  each_row(state, [&](std::uint8_t table, const std::string& key, const std::string& bytes) {
    text += std::to_string(table) + " " + to_hex(key) + " " + to_hex(bytes) + "\n";
  });
  return text;
}

Given::Given(const Events& history, TestJournal journal)
    : journal_(std::move(journal)),
      projection_(std::make_unique<projections::Projection>(test_cluster(),
                                                            projections::Projection::Tracking::kRows)) {
  when_elected().then_applied();
  and_given(history);
}

Given& Given::and_given(const Events& events) {
  for (const auto& event : events) when({event}).then_applied();
  return *this;
}

Given& Given::when(const Events& events) { return when_record(journal_.next_record(events)); }

Given& Given::when_record(const v1::Record& record) {
  const std::string before = dump(state());
  TestJournal go_back = journal_;
  take(journal_.append_record(record));
  if (outcome_.applied()) return *this;
  journal_ = std::move(go_back);
  journal_.append_void(record);
  if (!outcome_.forbidden()) { EXPECT_EQ(dump(state()), before) << "a void record changed the state"; }
  return *this;
}

Given& Given::take(const std::string& payload) {
  outcome_ = projection_->apply(projection_->chain().next(), payload);
  EXPECT_EQ(to_hex(as_view(projection_->state_hash())), to_hex(as_view(recomputed_hash(state()))));
  return *this;
}

Given& Given::then_applied() {
  EXPECT_TRUE(outcome_.applied()) << outcome_.text();
  return *this;
}

Given& Given::then_void(const std::string& reason_part) {
  EXPECT_EQ(outcome_.what, projections::ApplyOutcome::What::kVoid);
  EXPECT_NE(outcome_.text().find(reason_part), std::string::npos) << "void, but because: " << outcome_.text();
  return *this;
}

Given& Given::then_forbidden(const std::string& reason_part) {
  EXPECT_TRUE(outcome_.forbidden());
  return then_void(reason_part);
}

const projections::SessionRow& Given::session(const std::string& name) const {
  return must(state().sessions.find(session_id(name)), "session " + name);
}

const projections::KernelRow& Given::kernel(const std::string& name) const {
  return must(state().kernels.find(kernel_id(name)), "kernel " + name);
}

const projections::AgentRow& Given::agent(const std::string& name) const {
  return must(state().agents.find(name), "agent " + name);
}

const projections::RequestRow* Given::request(const std::string& actor, const std::string& request) const {
  return state().requests.find(projections::RequestRow::make_key(actor, id_of(request)));
}

Amount Given::taken(const std::string& agent, const std::string& slot) const {
  const auto* use = state().occupancy().find(agent);
  return use == nullptr ? 0 : use->slots.get(slot);
}

Amount Given::taken(const std::string& agent, const std::string& device, const std::string& slot) const {
  const auto* use = state().occupancy().find(agent);
  const auto* sums = use == nullptr ? nullptr : use->device(device);
  return sums == nullptr ? 0 : sums->get(slot);
}

}  // namespace berth::testing
