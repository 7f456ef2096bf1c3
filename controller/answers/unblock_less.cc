#include <algorithm>

#include "controller/answers/unblock_sets.h"
#include "controller/placement/model/catalog.h"

namespace berth::placement {

namespace {

class LessFinder {
 public:
  LessFinder(Model& model, PendingIndex session, WhatIf& what_if, Work* work)
      : model_(model), own_(model.pending[session].session_class), what_if_(what_if), work_(work) {}

  std::vector<Less> find(const std::vector<Near>& near) {
    near_ = near;
    const WhatIf::Run run = what_if_.run();
    undisturbed_ = run.undisturbed;
    const std::size_t parts = key().kernels.size();
    for (std::size_t part = 0; part < parts; ++part) {
      const std::vector<SlotAmount> asked = model_.requirements[key().kernels[part].requirement].slots;
      for (const SlotAmount& slot : asked) {
        const Amount amount = largest(part, slot);
        if (amount > 0) result_.push_back({part, {{slot.slot, slot.amount, amount}}});
      }
    }
    if (result_.empty()) try_together();
    return result_;
  }

 private:
  const ClassKey& key() const { return model_.classes[own_].key; }
  const Group& group() const { return model_.groups[key().group]; }

  // Whether it would start if a kernel of that part asked for these amounts instead. The requirement is made
  // for the run.
  bool starts_with(std::size_t part, const std::vector<LessAmount>& amounts) {
    if (work_->spent()) return false;
    ClassKey asked = key();
    Requirement changed = model_.requirements[asked.kernels[part].requirement];
    for (const LessAmount& less : amounts) {
      for (SlotAmount& slot : changed.slots) {
        if (slot.slot == less.slot) slot.amount = less.amount;
      }
    }
    const RequirementIndex made = intern_requirement(model_, std::move(changed));
    asked.kernels[part].requirement = made;
    const Need need = need_of(model_, asked.kernels);
    what_if_.ask(&asked, &need);
    const bool started = undisturbed_ ? what_if_.alone() : what_if_.run().started;
    what_if_.reset();
    drop_requirement(model_, made);
    return started && !work_->spent();
  }

  // What people would ask for: a device's quantum, a thousandth, a MiB.
  Amount step_of(SlotId slot) const {
    if (is_accelerator(model_.slots[slot].name)) return group().map_policies[slot].quantum;
    return model_.slots[slot].kind == SlotKind::kBytes ? 1 << 20 : kUnit / 1000;
  }

  // A round amount; 0: none. An accelerator is asked for in quanta, and less may by chance fit worse, so each
  // step is tried; of other slots what fits once fits with less of it too.
  Amount largest(std::size_t part, const SlotAmount& slot) {
    const auto starts = [&](Amount amount) { return starts_with(part, {{slot.slot, slot.amount, amount}}); };
    const Amount step = step_of(slot.slot);
    if (slot.amount <= step || !starts(step)) return 0;
    if (is_accelerator(model_.slots[slot.slot].name)) {
      Amount amount = (slot.amount - 1) / step * step;
      while (amount > step && !starts(amount) && !work_->spent()) amount -= step;
      return work_->spent() ? 0 : amount;
    }
    Amount low = step;
    Amount high = (slot.amount + step - 1) / step * step;
    const Amount guess = most_near(slot) / step * step;
    if (guess > low && guess < high && starts(guess)) {
      if (guess + step >= high || !starts(guess + step)) return guess;
      low = guess + step;
    }
    while (high - low > step && !work_->spent()) {  // it starts with low, it does not with high
      const Amount middle = (low + high) / step / 2 * step;
      (starts(middle) ? low : high) = middle;
    }
    return low;
  }

  // The most that an agent which lacks nothing else could give.
  Amount most_near(const SlotAmount& slot) const {
    Amount most = 0;
    for (const Near& near : near_) {
      if (near.lacks.size() == 1 && near.lacks[0].slot == slot.slot)
        most = std::max(most, near.lacks[0].most);
    }
    return most;
  }

  // No slot alone does it: all that lacks on one agent, the nearest that does it.
  void try_together() {
    for (const Near& near : near_) {
      std::vector<LessAmount> amounts;
      bool possible = near.lacks.size() > 1;
      for (const NearSlot& lack : near.lacks) {
        const Amount asked = asked_of(lack.slot);
        const Amount most = lack.most / step_of(lack.slot) * step_of(lack.slot);
        amounts.push_back({lack.slot, asked, most});
        possible = possible && most > 0;
      }
      if (!possible || !starts_with(0, amounts)) continue;
      result_.push_back({0, std::move(amounts)});
      return;
    }
  }

  Amount asked_of(SlotId slot) const {
    for (const SlotAmount& asked : model_.classes[own_].need.sums) {
      if (asked.slot == slot) return asked.amount;
    }
    return 0;
  }

  Model& model_;
  const ClassIndex own_;
  WhatIf& what_if_;
  Work* work_;
  std::vector<Near> near_;    // of a session of one kernel
  bool undisturbed_ = false;  // nobody before it starts or blocks: a pass comes to it with all as it is
  std::vector<Less> result_;
};

}  // namespace

std::vector<Less> find_less(Model& model, PendingIndex session, const std::vector<Near>& near,
                            WhatIf& what_if, Work* work, bool* complete) {
  std::vector<Less> result = LessFinder(model, session, what_if, work).find(near);
  *complete = !work->spent();
  return result;
}

}  // namespace berth::placement
