#include "projections/past/past_desk.h"

#include "projections/past/low_priority.h"

namespace berth::projections {
namespace {

constexpr std::size_t kTimesMax = 256;

Error stopping() { return make_error("stopping", "this server is being stopped", "ask again in a moment"); }

Error future(const std::string& what, const std::string& last) {
  return make_error("future-moment", what + " is in the future", last);
}

Error before_the_log() {
  return make_error("before-the-log", "nothing is written of that moment: the journal begins later",
                    "GET /v1/past says when");
}

}  // namespace

PastDesk::PastDesk(Parts parts, Options options)
    : parts_(std::move(parts)), options_(options), rebuilder_(parts_.rebuilder), thread_([this] { run(); }) {}

void PastDesk::stop() {
  std::map<Key, std::vector<PastDone>> told;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
    told.swap(told_);
    changed_.notify_all();
  }
  for (const auto& [key, waiting] : told)
    for (const PastDone& done : waiting) done(stopping());
  if (thread_.joinable()) thread_.join();
}

PastDesk::Key PastDesk::key_of(const PastMoment& moment) {
  return moment.position ? Key{false, *moment.position} : Key{true, static_cast<std::uint64_t>(moment.time)};
}

void PastDesk::ask(const PastMoment& moment, PastDone done) {
  PastPtr found;
  std::optional<Error> refused;
  {
    const std::lock_guard lock(mutex_);
    auto position = moment.position;
    if (!position)
      if (const auto known = times_.find(moment.time); known != times_.end()) position = known->second;
    if (position) found = find(*position);
    const Key key = key_of(moment);
    const auto same = told_.find(key);
    if (found != nullptr) {
    } else if (stopping_) {
      refused = stopping();
    } else if (same != told_.end()) {
      same->second.push_back(std::move(done));
      return;
    } else if (waiting_.size() >= options_.waiting_max) {
      refused = make_error("past-busy", "too many moments of the past are asked for at once", "ask again");
    } else {
      told_[key].push_back(std::move(done));
      waiting_.push_back(key);
      changed_.notify_all();
      return;
    }
  }
  if (refused)
    done(*refused);
  else
    done(found);
}

void PastDesk::run() {
  run_at_low_priority("past");
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (waiting_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const Key key = waiting_.front();
    waiting_.pop_front();
    under_way_ = key;
    PastMoment moment;
    if (key.by_time)
      moment.time = static_cast<Timestamp>(key.value);
    else
      moment.position = key.value;
    Result<PastPtr> state = stopping();
    std::uint64_t rebuilds;
    do {
      rebuilds = rebuilds_;
      percent_ = 0;
      lock.unlock();
      state = work(moment, rebuilds);
      lock.lock();
    } while (rebuilds != rebuilds_ && !stopping_);
    under_way_.reset();
    auto told = told_.extract(key);
    lock.unlock();
    if (!told.empty())
      for (const PastDone& done : told.mapped()) done(state);
    lock.lock();
  }
}

Result<PastPtr> PastDesk::work(const PastMoment& moment, std::uint64_t rebuilds) {
  if (moment.position) return state_at(*moment.position, rebuilds);
  const auto position = position_of(moment.time, rebuilds);
  if (!position) return position.error();
  return state_at(*position, rebuilds);
}

// A time is known for good once a record behind it is there: until then the next record may fall into it.
Result<Offset> PastDesk::position_of(Timestamp time, std::uint64_t rebuilds) {
  if (time > parts_.now()) return future("that time", "the newest moment is now: leave it away");
  const auto extent = parts_.rebuilder.log.extent({Stream::kJournal, 0});
  if (!extent) return extent.error();
  const Offset next = parts_.next();
  const auto found = rebuilder_.find(time, extent->begin, next);
  if (!found) return found.error();
  if (!*found || (*found)->time == 0) return before_the_log();
  const auto behind = rebuilder_.record_at((*found)->position + 1, next);
  if (!behind) return behind.error();
  const std::lock_guard lock(mutex_);
  if (*behind && rebuilds == rebuilds_) {
    if (times_.size() >= kTimesMax) times_.clear();
    times_[time] = (*found)->position;
  }
  return (*found)->position;
}

void PastDesk::on_rebuilt(Offset from) {
  const std::lock_guard lock(mutex_);
  ++rebuilds_;
  states_.remove_if([&](const PastPtr& state) { return state->point.position >= from; });
  std::erase_if(times_, [&](const auto& known) { return known.second + 1 >= from; });
  if (first_ && first_->position >= from) first_.reset();
}

Result<PastPtr> PastDesk::state_at(Offset position, std::uint64_t rebuilds) {
  const Offset next = parts_.next();
  if (position >= next)
    return future("position " + std::to_string(position),
                  next == 0 ? std::string("nothing is written yet")
                            : "the journal is at position " + std::to_string(next - 1));
  PastPtr near;
  {
    const std::lock_guard lock(mutex_);
    if (PastPtr found = find(position)) return found;
    near = nearest(position);
  }
  auto state = rebuilder_.rebuild(position + 1, near, [this](Offset done, Offset all) {
    const std::lock_guard lock(mutex_);
    percent_ = static_cast<int>(done * 100 / all);
    return !stopping_;
  });
  if (state) keep(*state, rebuilds);
  return state;
}

// REQUIRES, of these three: mutex_ is held.
PastPtr PastDesk::find(Offset position) {
  for (auto it = states_.begin(); it != states_.end(); ++it) {
    if ((*it)->point.position != position) continue;
    states_.splice(states_.begin(), states_, it);
    return states_.front();
  }
  return nullptr;
}

PastPtr PastDesk::nearest(Offset position) {
  PastPtr best;
  for (const PastPtr& state : states_)
    if (state->point.position < position && (!best || state->point.position > best->point.position))
      best = state;
  return best;
}

void PastDesk::keep(const PastPtr& state, std::uint64_t rebuilds) {
  const std::lock_guard lock(mutex_);
  if (rebuilds != rebuilds_) return;
  states_.push_front(state);
  std::size_t bytes = 0, count = 0;
  for (auto it = states_.begin(); it != states_.end();) {
    bytes += (*it)->bytes;
    const bool too_many = ++count > options_.states_max || (count > 1 && bytes > options_.bytes_max);
    it = too_many ? states_.erase(it) : std::next(it);
  }
}

Result<PastBounds> PastDesk::bounds() {
  const Offset next = parts_.next();
  const auto extent = parts_.rebuilder.log.extent({Stream::kJournal, 0});
  if (!extent) return extent.error();
  std::optional<PastPoint> first;
  {
    const std::lock_guard lock(mutex_);
    first = first_;
  }
  if (!first || first->position < extent->begin) {
    auto found = rebuilder_.record_at(extent->begin, next);
    if (found && *found && (*found)->time == 0)  // a log's first election knows no time yet
      found = rebuilder_.record_at((*found)->position + 1, next);
    if (!found) return found.error();
    if (!*found) return before_the_log();
    first = **found;
    const std::lock_guard lock(mutex_);
    first_ = first;
  }
  PastBounds bounds{*first, *first};
  // The newest record that is not void: a few steps back at most.
  for (Offset back = 1; back <= next - first->position; back *= 2) {
    const auto last = rebuilder_.record_at(next - back, next);
    if (!last) return last.error();
    if (!*last) continue;
    bounds.last = **last;
    break;
  }
  bounds.last.position = next - 1;
  return bounds;
}

std::optional<int> PastDesk::percent(const PastMoment& moment) const {
  const std::lock_guard lock(mutex_);
  return under_way_ && *under_way_ == key_of(moment) ? std::optional(percent_) : std::nullopt;
}

}  // namespace berth::projections
