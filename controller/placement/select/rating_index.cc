#include "controller/placement/select/rating_index.h"

#include <algorithm>
#include <bit>

namespace berth::placement {

namespace {

// Requirements by what they say, not by index: indexes are given again to others.
std::vector<std::int64_t> contents_of(const Model& model, const Need& need) {
  std::vector<std::int64_t> key;
  for (const KernelCount& kernel : need.kernels) {
    const Requirement& requirement = model.requirements[kernel.requirement];
    key.insert(key.end(),
               {kernel.count, requirement.arch, static_cast<std::int64_t>(requirement.slots.size())});
    for (const SlotAmount& asked : requirement.slots) key.insert(key.end(), {asked.slot, asked.amount});
  }
  return key;
}

}  // namespace

void RatingIndex::forget() {
  knows_agents_ = false;
  rows_.clear();
  changes_.clear();
}

std::size_t RatingIndex::bytes() const {
  std::size_t sum = (agents_.capacity() + place_of_agent_.capacity() + changes_.capacity()) * sizeof(Place);
  sum += last_change_.capacity() * sizeof(std::uint64_t);
  for (const auto& [key, row] : rows_)
    sum += key.capacity() * sizeof(std::int64_t) + row.tree.capacity() * sizeof(Node);
  return sum;
}

void RatingIndex::changed(AgentIndex agent) {
  if (!knows_agents_) return;
  const Place place = agent < place_of_agent_.size() ? place_of_agent_[agent] : kNothing;
  if (place == kNothing) return forget();  // it came
  if (rows_.empty()) return;
  last_change_[place] = first_change_ + changes_.size();
  changes_.push_back(place);
  if (changes_.size() > 4 * agents_.size() + 1'024) trim_changes();
}

// Rows that lag further behind would cost as much to bring up as to make.
void RatingIndex::trim_changes() {
  const std::size_t gone = changes_.size() / 2;
  changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(gone));
  first_change_ += gone;
  std::erase_if(rows_, [&](const auto& row) { return row.second.seen < first_change_; });
}

void RatingIndex::learn_agents(const Group& group) {
  agents_.clear();
  place_of_agent_.clear();
  for (const auto& [label, agent] : group.agents) {
    if (agent >= place_of_agent_.size()) place_of_agent_.resize(agent + 1, kNothing);
    place_of_agent_[agent] = static_cast<Place>(agents_.size());
    agents_.push_back(agent);
  }
  leaves_ = std::bit_ceil(std::max<Place>(1, static_cast<Place>(agents_.size())));
  last_change_.assign(agents_.size(), 0);
  changes_.clear();
  first_change_ = 1;
  knows_agents_ = true;
}

void RatingIndex::forget_eldest() {
  const std::size_t most = std::max(kFewestRows, kMostNodes / (2 * std::size_t{leaves_}));
  if (rows_.size() <= most) return;
  rows_.erase(std::min_element(rows_.begin(), rows_.end(),
                               [](const auto& a, const auto& b) { return a.second.asked < b.second.asked; }));
}

const RatingIndex::Row& RatingIndex::row_of(const Model& model, const Group& group, const Need& need,
                                            const Rate& rate) {
  if (!knows_agents_) learn_agents(group);
  const auto [found, is_new] = rows_.try_emplace(contents_of(model, need));
  Row& row = found->second;
  row.asked = ++questions_;
  if (is_new)
    fill(model, group, rate, &row);
  else
    follow(model, group, rate, &row);
  row.seen = first_change_ + changes_.size();
  if (is_new) forget_eldest();
  return row;
}

// One that left may be in another group now.
RatingIndex::Node RatingIndex::leaf_of(const Model& model, const Group& group, Place place,
                                       const Rate& rate) const {
  if (model.agents[agents_[place]].group != model.index_of(group)) return {};
  const std::int64_t rating = rate(agents_[place]);
  return {rating, rating == kUnfit ? 0u : 1u};
}

void RatingIndex::join(Row* row, std::size_t at) {
  const Node& left = row->tree[2 * at];
  const Node& right = row->tree[2 * at + 1];
  row->tree[at] = {std::min(left.least, right.least), left.fitting + right.fitting};
}

void RatingIndex::fill(const Model& model, const Group& group, const Rate& rate, Row* row) const {
  row->tree.assign(2 * std::size_t{leaves_}, {});
  for (Place place = 0; place < agents_.size(); ++place)
    row->tree[leaves_ + place] = leaf_of(model, group, place, rate);
  for (std::size_t at = leaves_ - 1; at > 0; --at) join(row, at);
}

void RatingIndex::follow(const Model& model, const Group& group, const Rate& rate, Row* row) const {
  for (std::uint64_t change = row->seen; change < first_change_ + changes_.size(); ++change) {
    const Place place = changes_[change - first_change_];
    if (last_change_[place] != change) continue;
    const Node leaf = leaf_of(model, group, place, rate);
    std::size_t at = leaves_ + place;
    if (row->tree[at] == leaf) continue;
    row->tree[at] = leaf;
    while (at > 1) join(row, at /= 2);
  }
}

std::vector<RatingIndex::Place> RatingIndex::places_of(std::span<const AgentIndex> agents) const {
  std::vector<Place> places;
  for (const AgentIndex agent : agents) {
    const Place place = agent < place_of_agent_.size() ? place_of_agent_[agent] : kNothing;
    if (place != kNothing) places.push_back(place);
  }
  std::sort(places.begin(), places.end());
  return places;
}

// The first place of [begin, end) with the least rating there; kNothing where nothing fits.
RatingIndex::Place RatingIndex::first_least(const Row& row, Place begin, Place end) const {
  std::int64_t least = kUnfit;
  std::size_t best = 0;
  std::vector<std::size_t> from_the_right;
  std::size_t low = std::size_t{leaves_} + begin;
  std::size_t high = std::size_t{leaves_} + end;
  const auto see = [&](std::size_t at) {
    if (row.tree[at].least >= least) return;
    least = row.tree[at].least;
    best = at;
  };
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2 == 1) see(low++);
    if (high % 2 == 1) from_the_right.push_back(--high);
  }
  for (auto at = from_the_right.rbegin(); at != from_the_right.rend(); ++at) see(*at);
  if (best == 0) return kNothing;
  while (best < leaves_) best = 2 * best + (row.tree[2 * best].least == least ? 0 : 1);
  return static_cast<Place>(best - leaves_);
}

RatingIndex::Rated RatingIndex::least(const Row& row, std::span<const AgentIndex> except) const {
  Rated best;
  Place begin = 0;
  std::vector<Place> ends = places_of(except);
  ends.push_back(static_cast<Place>(agents_.size()));
  for (const Place end : ends) {
    const Place place = first_least(row, begin, end);
    begin = end + 1;
    if (place == kNothing) continue;
    const std::int64_t rating = row.tree[leaves_ + place].least;
    if (rating < best.rating) best = {agents_[place], rating};
  }
  return best;
}

// How many fit before this place.
std::size_t RatingIndex::rank(const Row& row, Place place) const {
  std::size_t before = 0;
  for (std::size_t at = std::size_t{leaves_} + place; at > 1; at /= 2)
    if (at % 2 == 1) before += row.tree[at - 1].fitting;
  return before;
}

RatingIndex::Place RatingIndex::select(const Row& row, std::size_t n) const {
  if (n >= row.tree[1].fitting) return kNothing;
  std::size_t at = 1;
  while (at < leaves_) {
    at *= 2;
    if (n < row.tree[at].fitting) continue;
    n -= row.tree[at].fitting;
    ++at;
  }
  return static_cast<Place>(at - leaves_);
}

std::size_t RatingIndex::count(const Row& row, std::span<const AgentIndex> except) const {
  std::size_t fitting = row.tree[1].fitting;
  for (const Place place : places_of(except)) fitting -= row.tree[leaves_ + place].fitting;
  return fitting;
}

AgentIndex RatingIndex::nth(const Row& row, std::span<const AgentIndex> except, std::size_t n) const {
  for (const Place place : places_of(except))
    if (row.tree[leaves_ + place].fitting == 1 && rank(row, place) <= n) ++n;
  const Place place = select(row, n);
  return place == kNothing ? kNoAgent : agents_[place];
}

}  // namespace berth::placement
