#include "events/otlp/span_exporter.h"

#include <algorithm>
#include <utility>

namespace berth {

SpanExporter::SpanExporter(CollectorUrl url, SpanSource source, std::function<void(const std::string&)> warn,
                           Limits limits)
    : source_(std::move(source)), warn_(std::move(warn)), limits_(limits), collector_(std::move(url)) {}

void SpanExporter::start() {
  finished_ = false;
  thread_ = std::thread([this] { run(); });
}

void SpanExporter::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
  }
  changed_.notify_all();
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, limits_.last_try, [this] { return finished_; })) collector_.cancel();
  lock.unlock();
  if (thread_.joinable()) thread_.join();
}

void SpanExporter::add(Span span) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || queue_.size() >= limits_.queue)
    ++dropped_;
  else
    queue_.push_back(std::move(span));
}

void SpanExporter::run() {
  auto pause = limits_.every;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, pause, [this] { return stopping_; })) {
    lock.unlock();
    const bool taken = send(limits_.patience);
    pause = taken ? limits_.every : std::min(pause * 2, limits_.backoff_most);
    lock.lock();
  }
  lock.unlock();
  if (!away_) send(limits_.last_try);
  lock.lock();
  dropped_ += queue_.size();
  queue_.clear();
  finished_ = true;
  changed_.notify_all();
}

// Batch after batch until the queue is empty; true if the collector took all of them. One that was not taken
// is lost: to keep it would only lose the newer ones.
bool SpanExporter::send(std::chrono::milliseconds patience) {
  while (true) {
    std::vector<Span> batch;
    {
      const std::lock_guard lock(mutex_);
      const std::size_t count = std::min(queue_.size(), limits_.batch);
      std::move(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(count),
                std::back_inserter(batch));
      queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(count));
    }
    if (batch.empty()) return true;
    const auto status = collector_.post(to_otlp_json(source_, batch), patience);
    const bool taken = status.ok() && *status / 100 == 2;
    (taken ? exported_ : dropped_) += batch.size();
    note(taken, status.ok() ? "it answers " + std::to_string(*status) : status.error().message);
    if (!taken) return false;
  }
}

void SpanExporter::note(bool taken, const std::string& why) {
  if (std::exchange(away_, !taken) == !taken) return;
  warn_(taken ? "the collector takes spans again"
              : "the collector takes no spans, and they are dropped meanwhile: " + why);
}

std::unique_ptr<SpanExporter> start_exporter(std::optional<CollectorUrl> collector, SpanSource source,
                                             std::function<void(const std::string&)> warn) {
  if (!collector) return nullptr;
  auto exporter = std::make_unique<SpanExporter>(std::move(*collector), std::move(source), std::move(warn));
  exporter->start();
  return exporter;
}

std::function<void(Span)> into(const std::unique_ptr<SpanExporter>& exporter) {
  if (!exporter) return {};
  return [to = exporter.get()](Span span) { to->add(std::move(span)); };
}

}  // namespace berth
