#include "controller/api/inside/open_streams.h"

#include <utility>
#include <vector>

namespace berth::controller::api {

OpenStream::~OpenStream() {
  if (counted_ != nullptr) counted_->remove(this);
}

std::optional<Error> OpenStreams::add(const std::shared_ptr<OpenStream>& stream, StreamFacts facts) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return make_error("stopping", "this server stops", "try again");
  if (open_.size() >= limits_.all_max)
    return make_error("too-many-streams",
                      "this server has as many open programs and terminals as it may have, " +
                          std::to_string(limits_.all_max),
                      "try again");
  const auto [of_user, fresh] = of_user_.try_emplace(facts.caller.user, 0);
  if (of_user->second >= limits_.of_user_max)
    return make_error("too-many-streams",
                      "you have as many open programs and terminals as one user may have, " +
                          std::to_string(limits_.of_user_max),
                      "close some");
  ++of_user->second;
  stream->counted_ = this;
  open_.emplace(stream.get(), Open{stream, std::move(facts)});
  if (!std::exchange(looking_, true)) look_later();
  return std::nullopt;
}

void OpenStreams::remove(const OpenStream* stream) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(stream);
  const auto of_user = of_user_.find(found->second.facts.caller.user);
  if (--of_user->second == 0) of_user_.erase(of_user);
  open_.erase(found);
  fewer_.notify_all();
}

std::size_t OpenStreams::count() const {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

void OpenStreams::look_later() {
  quick_.post_after(limits_.look, [this] { look(); });
}

void OpenStreams::look() {
  std::vector<std::pair<std::shared_ptr<OpenStream>, Error>> over;
  std::vector<std::shared_ptr<OpenStream>> held;  // the last handle must not go under the lock
  const Timestamp now = context_.now();
  context_.with_state([&](const StateView& view) {
    const std::lock_guard lock(mutex_);
    for (auto& [address, open] : open_) {
      auto stream = open.stream.lock();
      if (stream == nullptr) continue;
      open.facts.used_at = stream->used_at();
      open.facts.changes = stream->changes();
      if (auto why = why_over(view.state, open.facts, now, idle_)) over.emplace_back(stream, std::move(*why));
      held.push_back(std::move(stream));
    }
    looking_ = !open_.empty() && !stopping_;
    if (looking_) look_later();
  });
  for (const auto& [stream, why] : over) stream->cut(why);
}

void OpenStreams::stop(std::chrono::milliseconds patience) {
  std::vector<std::shared_ptr<OpenStream>> streams;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& [address, open] : open_)
      if (auto stream = open.stream.lock()) streams.push_back(std::move(stream));
  }
  for (const auto& stream : streams)
    stream->cut(
        make_error("stopping", "this server stops", "open it again, at another server if there is one"));
  streams.clear();
  std::unique_lock lock(mutex_);
  fewer_.wait_for(lock, patience, [this] { return open_.empty(); });
}

}  // namespace berth::controller::api
