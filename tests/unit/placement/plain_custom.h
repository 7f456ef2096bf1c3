// A selection policy of one's own for the property test: two tastes, one of which never answers. The real
// scheduler asks it with what CustomQuestion says, the plain one with its own books.
#pragma once

#include <cstdint>

#include "controller/placement/select/custom/policy.h"
#include "tests/unit/placement/plain_books.h"

namespace berth::placement::testing {

inline constexpr const char* kCustomTaste = "taste";
inline constexpr const char* kCustomDead = "dead";

// Of one slot on an agent (or one of its devices), as one number with many ties.
inline std::int64_t taste_of(std::uint64_t slot, Amount free, Amount capacity, Amount asked) {
  return (static_cast<std::int64_t>(slot) * 5 + free / 500'000 * 3 + capacity / kUnit + asked / 300'000) % 7;
}

inline std::int64_t taste(const PlainBooks& books, const AgentSpec& agent,
                          const std::vector<KernelSpec>& kernels) {
  std::int64_t score = books.containers(agent) % 3;
  for (const KernelSpec& kernel : kernels) score += kernel.count * 2;
  for (SlotId slot = 0; slot < books.slots.size(); ++slot) {
    if (!books.counts(slot)) continue;
    const Amount asked = PlainBooks::asked(kernels, slot);
    const auto devices = books.devices(agent, slot);
    for (const auto& [number, device] : devices)
      score += taste_of(slot, device.free, device.capacity, asked) + device.numa;
    if (devices.empty() && names_slot(agent.slots, slot))
      score += taste_of(slot, books.free(agent, slot).value(), amount_of(agent.slots, slot), asked);
  }
  return score;
}

class TestPolicy : public CustomPolicy {
 public:
  explicit TestPolicy(bool answers) : answers_(answers) {}
  void begin_pass() override {}
  bool score(const CustomQuestion& question, std::span<std::int64_t> scores) override {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const CustomQuestion::Agent& agent = question.agents[i];
      scores[i] = agent.containers % 3 + question.kernels * 2;
      for (const CustomQuestion::Amounts& a : agent.amounts) {
        scores[i] += taste_of(a.slot, a.free, a.capacity, question.slots[a.slot].asked);
        if (a.device != kAgentItself) scores[i] += agent.devices[a.device].numa;
      }
    }
    return answers_;
  }

 private:
  bool answers_;
};

class TestPolicies : public CustomPolicies {
 public:
  CustomPolicy* find(std::string_view name) override {
    if (name == kCustomTaste) return &taste_;
    return name == kCustomDead ? &dead_ : nullptr;
  }

 private:
  TestPolicy taste_{true}, dead_{false};
};

}  // namespace berth::placement::testing
