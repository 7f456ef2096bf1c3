// What would let a session start, as lines for people.
#include <string>
#include <vector>

#include "controller/answers/unblock.h"
#include "events/base/text.h"

namespace berth::placement {
namespace {

constexpr std::size_t kNamed = 4;  // sessions in one line

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) text.append(text.empty() ? "" : between).append(part);
  return text;
}

std::string name_of(const SessionId& id, const NameSession& name) {
  std::string text = name(id);
  return text.empty() ? "another session" : text;
}

std::string amount_of(const Cluster& cluster, SlotId slot, Amount amount) {
  return format_amount_human(cluster.slot_kind(slot), amount);
}

// "demo-1, demo-2 and 3 more"; sessions that the viewer may not see are only counted.
std::string sessions_text(const std::vector<SessionId>& sessions, const NameSession& name) {
  std::vector<std::string> named;
  std::size_t unnamed = 0;
  for (const SessionId& id : sessions) {
    const std::string text = name(id);
    if (text.empty())
      ++unnamed;
    else
      named.push_back(text);
  }
  if (named.empty()) return std::to_string(unnamed) + (unnamed == 1 ? " other session" : " other sessions");
  return listed(named, kNamed, unnamed);
}

std::string set_text(const SessionSet& set, const NameSession& name, std::string_view one,
                     std::string_view several) {
  std::vector<std::string> names;
  for (const SessionId& id : set) names.push_back(name_of(id, name));
  const std::string last = names.back();
  names.pop_back();
  if (names.empty()) return last + " " + std::string(one);
  return join(names, ", ") + " and " + last + " " + std::string(several);
}

void add_sets(const SessionSets& found, const NameSession& name, std::string_view one,
              std::string_view several, std::vector<std::string>* lines) {
  for (const SessionSet& set : found.sets) lines->push_back("starts if " + set_text(set, name, one, several));
}

std::string less_line(const Cluster& cluster, const Less& less) {
  std::vector<std::string> parts;
  for (const LessAmount& amount : less.amounts) {
    parts.push_back(amount_of(cluster, amount.slot, amount.asked - amount.amount) + " " +
                    std::string(cluster.slot_name(amount.slot)) + " less (" +
                    amount_of(cluster, amount.slot, amount.amount) + ")");
  }
  return "fits with " + join(parts, " and ");
}

}  // namespace

std::vector<std::string> unblock_lines(const Cluster& cluster, const Unblock& unblock,
                                       const NameSession& name) {
  std::vector<std::string> lines;
  if (!unblock.waits || unblock.starts_now) return lines;
  if (!unblock.proved) return {"the cell is too large to try what would let it start"};
  if (!unblock.victims.empty()) {
    const std::string_view go = unblock.victims.size() == 1 ? " has to go first" : " have to go first";
    lines.push_back("the next pass holds a place for it: " + sessions_text(unblock.victims, name).append(go));
  }
  for (const LimitRaise& raise : unblock.raises) {
    const bool slot = raise.slot != kNoSlot;
    lines.push_back("raise the " + raise.name + " by " +
                    (slot ? amount_of(cluster, raise.slot, raise.raise) : std::to_string(raise.raise)));
  }
  if (!unblock.raises.empty())
    lines.push_back(unblock.starts_when_raised ? "with that it starts" : "with that it still waits");
  add_sets(unblock.ends, name, "ends", "end", &lines);
  if (unblock.ends.sets.empty() && unblock.ends.complete && unblock.ends.size_max > 0)
    lines.push_back("the ends of any " + std::to_string(unblock.ends.size_max) + " sessions are not enough");
  add_sets(unblock.leaves, name, "leaves the queue", "leave the queue", &lines);
  for (const Less& less : unblock.less) lines.push_back(less_line(cluster, less));
  if (unblock.fits_alone && !unblock.has_cause && unblock.leaves.sets.empty())
    lines.push_back("fits as soon as it is its turn");
  if (!unblock.ends.complete && unblock.ends.sets.empty())
    lines.push_back("who would have to end was not found within the bound");
  if (unblock.concentrated && !lines.empty()) {
    lines.push_back("its group's own policy (select custom) was not asked: this holds as if it concentrated");
  }
  return lines;
}

}  // namespace berth::placement
