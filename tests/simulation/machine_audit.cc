#include "tests/simulation/machine_audit.h"

#include <algorithm>
#include <map>

namespace berth::simulation {
namespace {

using agents::FakeBackend;

using Amounts = std::map<std::string, std::int64_t>;  // by slot, or "device/slot"

Amounts amounts_of(const FakeBackend::Run& run) {
  Amounts amounts{{"cpu", run.cpu}, {"mem", run.mem}};
  for (const auto& d : run.devices) amounts[d.device + "/" + d.slot] += d.amount;
  return amounts;
}

Amounts capacity_of(const v1::AgentJoined& profile) {
  Amounts capacity;
  for (const auto& s : profile.slots()) capacity[s.slot()] = s.amount();
  for (const auto& d : profile.devices())
    for (const auto& s : d.slots()) capacity[d.id() + "/" + s.slot()] = s.amount();
  return capacity;
}

struct Change {
  Timestamp at = 0;
  bool begins = false;  // after the ends of the same instant
  const FakeBackend::Run* run = nullptr;
};

std::vector<Change> changes_of(const std::vector<FakeBackend::Run>& runs) {
  std::vector<Change> changes;
  for (const auto& run : runs) {
    changes.push_back({run.from, true, &run});
    if (run.until && *run.until > run.from) changes.push_back({*run.until, false, &run});
    if (run.until && *run.until == run.from) changes.pop_back();  // it took nothing for any time
  }
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::pair(a.at, a.begins) < std::pair(b.at, b.begins);
  });
  return changes;
}

void audit_keys(const std::vector<std::unique_ptr<SimAgent>>& agents, std::vector<std::string>& failures) {
  std::map<agents::KernelKey, std::string> where;
  for (const auto& agent : agents)
    for (const auto& run : agent->machine().ran())
      if (const auto [it, fresh] = where.emplace(run.key, agent->name()); !fresh)
        failures.push_back("attempt " + std::to_string(run.key.attempt) + " of kernel " +
                           to_string(run.key.kernel) + " ran on " + it->second + " and once more on " +
                           agent->name());
}

}  // namespace

void audit_runs(const std::vector<std::unique_ptr<SimAgent>>& agents, std::vector<std::string>& failures) {
  audit_keys(agents, failures);
  for (const auto& agent : agents) {
    const Amounts capacity = capacity_of(agent->profile());
    Amounts taken;
    for (const Change& change : changes_of(agent->machine().ran()))
      for (const auto& [what, amount] : amounts_of(*change.run)) {
        taken[what] += change.begins ? amount : -amount;
        const auto most = capacity.find(what);
        if (taken[what] <= (most == capacity.end() ? 0 : most->second)) continue;
        failures.push_back(agent->name() + " ran more than its " + what + " at " +
                           std::to_string(change.at / kMillisecond) + " ms, with kernel " +
                           to_string(change.run->key.kernel));
        return;
      }
  }
}

namespace {

void audit_attempts(const std::vector<std::unique_ptr<SimAgent>>& agents,
                    std::vector<std::string>& failures) {
  struct Where {
    const FakeBackend::Run* run;
    const SimAgent* agent;
  };
  std::map<std::pair<SessionId, std::string>, std::vector<Where>> attempts;
  for (const auto& agent : agents)
    for (const auto& run : agent->machine().ran())
      if (run.leased) attempts[{run.session, run.hostname}].push_back({&run, agent.get()});
  for (auto& [place, runs] : attempts) {
    std::ranges::sort(runs, {}, [](const Where& where) { return where.run->from; });
    for (std::size_t i = 1; i < runs.size(); ++i) {
      const Where &before = runs[i - 1], &after = runs[i];
      if (before.run->until && *before.run->until <= after.run->from) continue;
      failures.push_back("kernel " + to_string(after.run->key.kernel) + " of session " +
                         to_string(place.first) + " began on " + after.agent->name() + " at " +
                         std::to_string(after.run->from / kMillisecond) + " ms while it ran on " +
                         before.agent->name());
      return;
    }
  }
}

void audit_origins(const std::vector<std::unique_ptr<SimAgent>>& agents,
                   const std::map<agents::KernelKey, bool>& placed, std::vector<std::string>& failures) {
  for (const auto& agent : agents)
    for (const auto& run : agent->machine().ran())
      if (const auto known = placed.find(run.key); known == placed.end() || (known->second && !run.leased)) {
        failures.push_back(agent->name() + " ran kernel " + to_string(run.key.kernel) +
                           (known == placed.end() ? ", which the journal never placed"
                                                  : " without a lease, although it may be requeued"));
        return;
      }
}

}  // namespace

void audit_placed(const std::vector<std::unique_ptr<SimAgent>>& agents,
                  const std::map<agents::KernelKey, bool>& placed, std::vector<std::string>& failures) {
  audit_origins(agents, placed, failures);
  audit_attempts(agents, failures);
}

void check_machines(const std::vector<std::unique_ptr<SimAgent>>& agents,
                    std::vector<std::string>& failures) {
  std::map<std::pair<SessionId, std::string>, std::string> where;
  for (const auto& agent : agents) {
    std::map<std::string, std::int64_t> taken;
    for (const auto& key : agent->machine().running()) {
      const auto* spec = agent->machine().spec(key);
      if (const auto [it, fresh] = where.emplace(std::pair(spec->session, spec->hostname), agent->name());
          !fresh)
        failures.push_back(spec->hostname + " of session " + to_string(spec->session) + " runs on " +
                           it->second + " and " + agent->name());
      if (agent->machine().runs(key) > 1)
        failures.push_back("kernel " + to_string(key.kernel) + " ran twice in one attempt");
      taken["cpu"] += spec->cpu;
      taken["mem"] += spec->mem;
      for (const auto& d : spec->devices) taken[d.device + "/" + d.slot] += d.amount;
    }
    for (const auto& s : agent->profile().slots())
      if (taken[s.slot()] > s.amount()) failures.push_back(agent->name() + " runs more than its " + s.slot());
    for (const auto& d : agent->profile().devices())
      for (const auto& s : d.slots())
        if (taken[d.id() + "/" + s.slot()] > s.amount())
          failures.push_back(agent->name() + " runs more than its " + d.id());
  }
}

}  // namespace berth::simulation
