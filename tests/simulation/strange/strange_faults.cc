#include "tests/simulation/strange/strange_faults.h"

#include "events/base/checks.h"

namespace berth::simulation {
namespace {

constexpr Partition kWholeJournal{Stream::kJournal, 0};

}  // namespace

void StrangeFaults::chaos(const Instant& now) {
  is_healed_ = false;
  if (s_.hangs && rng_.chance(1, 150)) hang_one(now);
  for (auto& c : controllers_) {
    if (s_.disks && c.disk_back_at == 0 && rng_.chance(1, 300)) fail_disk(c, now);
    if (s_.beginning && !c.process->up() && rng_.chance(1, 40)) lose_disk(*c.process);
  }
  if (s_.beginning && rng_.chance(1, 200)) lose_beginning();
}

void StrangeFaults::hang_one(const Instant& now) {
  const Hang hang = Hang::draw(rng_, now.boottime);
  const auto who = rng_.below(controllers_.size() + agents_.size());
  if (who < controllers_.size())
    controllers_[who].process->hang(hang);
  else
    agents_[who - controllers_.size()]->hang(hang);
}

// Shorter than what a process waits for (DiskPatience).
void StrangeFaults::fail_disk(Controller& controller, const Instant& now) {
  controller.process->set_disk_failing(true);
  controller.disk_back_at = now.boottime + static_cast<Duration>(200 + rng_.below(20'000)) * kMillisecond;
}

// Retention, or DeleteRecords, removes what at least one controller has in the state on its disk.
void StrangeFaults::lose_beginning() {
  const Offset most = controllers_[rng_.below(controllers_.size())].process->stored();
  const Offset begin = cluster_.server->extent(kWholeJournal).begin;
  if (most <= begin) return;
  const Offset kept_from = begin + 1 + rng_.below(most - begin);
  while (cluster_.archive.size() < kept_from)
    cluster_.archive.push_back(cluster_.journal_at(cluster_.archive.size()));
  cluster_.server->retain(kWholeJournal, kept_from);
}

SimController* StrangeFaults::with_whole_state(const SimController* but) {
  for (auto& c : controllers_)
    if (c.process != but && c.process->stored() >= cluster_.server->extent(kWholeJournal).begin)
      return c.process;
  return nullptr;
}

// One copy of the state is left: else nobody could go on.
void StrangeFaults::lose_disk(SimController& controller) {
  if (with_whole_state(&controller) != nullptr) controller.lose_disk();
}

void StrangeFaults::turn(const Instant& now) {
  if (is_healed_) bring_states(now);
  for (auto& c : controllers_) {
    if (c.disk_back_at == 0 || now.boottime < c.disk_back_at) continue;
    c.disk_back_at = 0;
    c.process->set_disk_failing(false);
  }
}

void StrangeFaults::heal(const Instant& now) {
  is_healed_ = true;
  for (auto& c : controllers_) {
    c.disk_back_at = 0;
    c.process->set_disk_failing(false);
    c.process->hang({});
  }
  for (SimAgent* agent : agents_) agent->hang({});
  bring_states(now);
}

void StrangeFaults::bring_states(const Instant& now) {
  for (auto& c : controllers_) {
    if (!c.process->has_refused()) continue;
    const SimController* whole = with_whole_state(c.process);
    BERTH_CHECK(whole != nullptr, "one copy of the state is left");
    c.process->take_state_of(*whole);
    c.process->start(now);
  }
}

}  // namespace berth::simulation
