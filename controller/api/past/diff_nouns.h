// What a difference between two states is made of: nouns, whose rows changed, and how a row is shown. Pure.
#pragma once

#include <boost/json.hpp>
#include <set>
#include <span>
#include <string>

#include "controller/api/map/slot_amounts.h"
#include "projections/rights.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

// By what rows of one side are shown.
struct DiffView {
  const projections::State& state;
  const SlotKinds& kinds;
  const projections::Actor& actor;
};

struct DiffNoun {
  const char* name;
  // Adds the keys of rows that one state has, or that differ.
  void (*changed)(const projections::State& before, const projections::State& after,
                  std::set<std::string>& keys);
  // Null: there is no such row, or the actor may not see it.
  boost::json::value (*show)(const DiffView& view, const std::string& key);
  // "demo-1" for people; empty: the key says it.
  std::string (*name_of)(const projections::State& state, const std::string& key);
  std::string (*id_of)(const std::string& key);
};

// In the order in which they are told; sessions first.
std::span<const DiffNoun> diff_nouns();
inline constexpr std::size_t kSessionNoun = 0;

}  // namespace berth::controller::api
