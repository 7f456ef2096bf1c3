// RatingIndex: for selection policies that order agents differently for each need (least_rise.h,
// round_robin.h). It keeps the rating of each agent for each recent need, and follows changes of agents.
//
// One row for each need: the ratings in a tree over the agents by id. An inner node knows the least rating
// below and the number of agents on which the need fits. A question costs one rating for each agent that
// changed since the last question about that need, and O(log n). Rows without recent questions are forgotten:
// memory is bounded.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "controller/placement/model/model.h"

namespace berth::placement {

class RatingIndex {
 public:
  static constexpr std::int64_t kUnfit = INT64_MAX;
  // The smaller the better; kUnfit where the need does not fit. A rating depends only on the need, the
  // group's settings and that agent.
  using Rate = std::function<std::int64_t(AgentIndex)>;

  struct Rated {
    AgentIndex agent = kNoAgent;
    std::int64_t rating = kUnfit;
  };
  struct Row;  // of one need; good until anything changes or another need is asked about

  // Forgets all ratings: settings, labels or slot types changed. / One agent changed in any way, came or
  // left.
  void forget();
  void changed(AgentIndex agent);

  // The row of the need, up to date.
  const Row& row_of(const Model& model, const Group& group, const Need& need, const Rate& rate);
  // Questions; `except`: agents that are left out.
  // The agent with the least rating; of equal ones the first by id.
  Rated least(const Row& row, std::span<const AgentIndex> except) const;
  // The number of agents on which the need fits. / The n-th of them by id, from 0; kNoAgent: there are fewer.
  std::size_t count(const Row& row, std::span<const AgentIndex> except) const;
  AgentIndex nth(const Row& row, std::span<const AgentIndex> except, std::size_t n) const;

  std::size_t bytes() const;

 private:
  using Place = std::uint32_t;  // in the order of ids
  using NeedKey = std::vector<std::int64_t>;
  struct Node {
    std::int64_t least = kUnfit;
    std::uint32_t fitting = 0;
    bool operator==(const Node&) const = default;
  };
  static constexpr std::size_t kMostNodes = std::size_t{4} << 20;  // of all rows of a group: 64 MiB
  static constexpr std::size_t kFewestRows = 4;

  void learn_agents(const Group& group);
  Node leaf_of(const Model& model, const Group& group, Place place, const Rate& rate) const;
  static void join(Row* row, std::size_t at);
  void fill(const Model& model, const Group& group, const Rate& rate, Row* row) const;
  void follow(const Model& model, const Group& group, const Rate& rate, Row* row) const;
  void forget_eldest();
  void trim_changes();
  std::vector<Place> places_of(std::span<const AgentIndex> agents) const;
  Place first_least(const Row& row, Place begin, Place end) const;
  std::size_t rank(const Row& row, Place place) const;
  Place select(const Row& row, std::size_t n) const;

  bool knows_agents_ = false;
  std::vector<AgentIndex> agents_;     // by place
  std::vector<Place> place_of_agent_;  // by agent; kNothing: not in the group when it was learned
  Place leaves_ = 1;
  std::map<NeedKey, Row> rows_;
  std::vector<Place> changes_;  // as they came; the first is number first_change_
  std::uint64_t first_change_ = 0;
  std::vector<std::uint64_t>
      last_change_;  // by place, its number: earlier ones of the same agent need no rating
  std::uint64_t questions_ = 0;
};

struct RatingIndex::Row {
  std::vector<Node> tree;   // 1: the root; children of i: 2i, 2i + 1; leaves from leaves_ on
  std::uint64_t seen = 0;   // changes before this one are in it
  std::uint64_t asked = 0;  // when, to forget the eldest
};

}  // namespace berth::placement
