// SearchIndex: finds the agent that the selection policy prefers among those on which a need fits, without a
// look at all agents.
//
// Agents stand in buckets by (architecture, slots they have, slots of which they have some free): within a
// bucket the number of unused capabilities is the same for every request, so the selection's order there is
// what remains of each slot, then the id: one order for all requests, kept in an AgentTree. Beside the
// amounts of the order a row has, for each slot on devices, the most that one device could give and a bound
// of what several could, the slots that do not bear on the selection, and the room for containers. A search
// asks the buckets in order of unused capabilities and compares the best of those that are equal.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controller/placement/select/agent_tree.h"
#include "controller/placement/select/fit.h"
#include "controller/placement/select/rating_index.h"

namespace berth::placement {

class SearchIndex {
 public:
  // The best agent in the order of score.h, and the placements there; kNoAgent if the need fits nowhere.
  // `except`: agents (ascending) that are left out.
  AgentIndex find(const Model& model, const Group& group, const Need& need,
                  std::span<const AgentIndex> except, std::vector<KernelPlacement>* placements);

  // Reads all agents of the group anew: settings or slot types changed.
  void rebuild(Model& model, const Group& group);
  // The agent changed in any way, or came to the group. / The agent leaves the group.
  void changed(Model& model, AgentIndex agent);
  void remove(Model& model, AgentIndex agent);

  // For the audit: what is wrong with the agent's row; empty if a search finds the agent as it is.
  std::string broken_row(const Model& model, AgentIndex agent);
  // How many agents a search can find.
  std::size_t rows() const;

  Fitter& fitter() { return fitter_; }
  RatingIndex& ratings() { return ratings_; }
  std::size_t bytes() const;

 private:
  struct BucketKey {
    std::uint32_t arch = 0;
    std::uint64_t has = 0;  // bits by slot id, of slots that bear on the selection
    std::uint64_t has_free = 0;
    auto operator<=>(const BucketKey&) const = default;
  };
  struct Bucket {
    BucketKey key;
    std::unique_ptr<AgentTree> tree;
  };
  // A slot on devices: its two columns, and how its devices give.
  struct DeviceSlot {
    std::uint32_t column = 0;
    bool in_sum = false;  // whole units or fragments: only the sum counts
    Amount quantum = 1;
    Amount smallest_capacity = 0;  // of any agent's largest device: up to it one device must do
  };
  struct Candidate {
    std::uint32_t unused;
    std::uint32_t bucket;
  };

  bool read_row(const Model& model, const Group& group, const Agent& agent, BucketKey* key,
                std::int64_t* row);
  bool read_devices(std::span<const SlotCell> cells, std::int64_t* row);
  void read_asks(const Model& model, const Need& need);
  std::uint32_t bucket_of(const BucketKey& key);
  std::int64_t* stored_row(std::uint32_t entry) {
    return rows_.data() + static_cast<std::size_t>(entry) * (width_ + 2);
  }
  std::int64_t& stored_bucket(std::uint32_t entry) { return stored_row(entry)[width_ + 1]; }

  bool least_first_ = true;
  std::uint32_t width_ = 0;
  std::uint32_t key_ = 0;
  std::uint64_t rated_ = 0;                 // bits by slot id: those that bear on the selection
  std::vector<std::uint32_t> slot_column_;  // by slot: where its sum stands
  std::vector<std::uint32_t> device_slot_;  // by slot; kNothing: not on devices anywhere in the group
  std::vector<DeviceSlot> device_slots_;
  std::vector<Bucket> buckets_;
  std::map<BucketKey, std::uint32_t> bucket_ids_;
  std::vector<std::int64_t> rows_;  // by Agent::entry: what stands in the tree
  std::vector<std::uint32_t> free_entries_;

  Fitter fitter_;
  RatingIndex ratings_;  // hears every change; empty unless the selection policy asks it
  std::vector<AgentTree::Ask> asks_;
  std::vector<Candidate> candidates_;
  std::vector<std::int64_t> frees_;
  std::vector<std::int64_t> new_row_;
};

}  // namespace berth::placement
