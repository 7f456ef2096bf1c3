// PastDesk: past states for whoever asks, one at a time, by one thread of low priority. The newest few are
// kept.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "projections/past/rebuild.h"

namespace berth::projections {

class PastDesk {
 public:
  struct Options {
    std::size_t states_max = 8;
    std::size_t bytes_max = 512u << 20;
    std::size_t waiting_max = 16;  // moments; any number may wait for the same one
  };
  struct Parts {
    PastRebuilder::Parts rebuilder;
    std::function<Offset()> next;    // records [0, next) were read back
    std::function<Timestamp()> now;  // the cluster's time
  };
  PastDesk(Parts parts, Options options);
  ~PastDesk() { stop(); }
  // Who waits is told `stopping`. Idempotent.
  void stop();

  // `done` is called once: at once if the state is at hand, else on the desk's thread. Codes: future-moment,
  // before-the-log, past-busy, stopping, and those of PastRebuilder. Thread-safe.
  void ask(const PastMoment& moment, PastDone done);
  // May block on I/O. Codes: before-the-log (nothing was written yet), and those of EventLog.
  Result<PastBounds> bounds();
  // What was read of the records from `from` on does not count any more: states and times that rest on it are
  // forgotten, and what is under way is done again. Thread-safe.
  void on_rebuilt(Offset from);
  // How far the state that is being rebuilt is, in percent; nullopt: none is, or it is another.
  std::optional<int> percent(const PastMoment& moment) const;

 private:
  struct Key {
    bool by_time = false;
    std::uint64_t value = 0;
    auto operator<=>(const Key&) const = default;
  };
  static Key key_of(const PastMoment& moment);
  // `rebuilds`: how many there were when it began; what comes of it is kept if there was none since.
  Result<PastPtr> work(const PastMoment& moment, std::uint64_t rebuilds);
  Result<PastPtr> state_at(Offset position, std::uint64_t rebuilds);
  Result<Offset> position_of(Timestamp time, std::uint64_t rebuilds);
  PastPtr find(Offset position);
  PastPtr nearest(Offset position);
  void keep(const PastPtr& state, std::uint64_t rebuilds);
  void run();

  Parts parts_;
  const Options options_;
  const PastRebuilder rebuilder_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::list<PastPtr> states_;          // used last first
  std::map<Timestamp, Offset> times_;  // that no later record falls into, and their positions
  std::deque<Key> waiting_;
  std::map<Key, std::vector<PastDone>> told_;
  std::optional<Key> under_way_;
  int percent_ = 0;
  std::optional<PastPoint> first_;
  std::uint64_t rebuilds_ = 0;
  std::thread thread_;
};

}  // namespace berth::projections
