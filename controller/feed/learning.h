// What a group that selects by fragmentation learns from its own requests (ADR 0056): when, from what, and
// how.
//
// Learning takes up to some tenths of a second, which is too long for the leader's strand: the core asks for
// it in its outputs, whoever drives the core runs learn_selection() elsewhere and hands the answer in as an
// input. What is recorded is the answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controller/placement/fragmentation/learn.h"
#include "events/schema/v1/event.pb.h"
#include "projections/tables/state.h"

namespace berth::controller {

inline constexpr Duration kLearnEvery = kHour;  // at least this much header time between two

// ---- an output: the group's empty agents and its mix ----
struct LearnSelection {
  std::string group;
  bool shape = false;  // balanced: choose one; fgd has none
  std::vector<placement::fragmentation::Node> nodes;
  std::vector<placement::fragmentation::ClassShare> mix;
};
// ---- the input that answers it ----
struct SelectionFound {
  v1::SelectionLearned learned;
};

// Pure; any thread.
SelectionFound learn_selection(const LearnSelection& asked);

// Whether the group is to learn (again). First after `first` sessions; then after ten times as many, or after
// a quarter of those that are counted if that is more. `learned`: null where the group never learned.
bool learning_is_due(const v1::ResourceGroupDefined& group, const projections::MixRow& mix,
                     const projections::LearnedRow* learned, Timestamp now, std::int64_t first);

// The counted classes of a group, the most popular first.
std::vector<placement::fragmentation::ClassShare> counted_mix(const projections::State& state,
                                                              const std::string& group);

// As recorded.
std::vector<placement::fragmentation::ClassShare> mix_of_learned(const v1::SelectionLearned& learned);
placement::fragmentation::Shape shape_of_learned(
    const v1::SelectionLearned& learned);  // the first shape where it has none

}  // namespace berth::controller
