// SpanExporter: takes spans and brings them to a collector, a batch a second, on a thread of its own.
//
// Whoever makes a span never waits: what finds the queue full is dropped and counted, and so is a batch that
// the collector did not take. A collector that is away is asked less and less often; meanwhile the queue
// fills and then drops, and Berth goes on as if there were none.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "events/otlp/collector.h"
#include "events/otlp/span.h"

namespace berth {

class SpanExporter {
 public:
  struct Limits {
    std::size_t queue = 8'192;  // spans
    std::size_t batch = 1'024;
    std::chrono::milliseconds every{1'000};
    std::chrono::milliseconds patience{5'000};       // with one answer
    std::chrono::milliseconds last_try{1'000};       // at a stop
    std::chrono::milliseconds backoff_most{60'000};  // between two tries; doubled from `every` on
  };
  // `warn`: told once when the collector takes no spans, and once when it does again.
  SpanExporter(CollectorUrl url, SpanSource source, std::function<void(const std::string&)> warn,
               Limits limits);
  SpanExporter(CollectorUrl url, SpanSource source, std::function<void(const std::string&)> warn)
      : SpanExporter(std::move(url), std::move(source), std::move(warn), Limits()) {}
  ~SpanExporter() { stop(); }

  void start();
  // What is in the queue is tried once more, for a second at most.
  void stop();

  // Thread-safe; never blocks for longer than it takes to put it into the queue.
  void add(Span span);

  std::uint64_t exported() const { return exported_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  void run();
  bool send(std::chrono::milliseconds patience);
  void note(bool taken, const std::string& why);

  const SpanSource source_;
  const std::function<void(const std::string&)> warn_;
  const Limits limits_;
  Collector collector_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Span> queue_;  // guarded
  bool stopping_ = false;   // guarded
  bool finished_ = true;    // guarded: the thread's last word
  bool away_ = false;       // the thread's
  std::atomic<std::uint64_t> exported_{0}, dropped_{0};
  std::thread thread_;
};

// Runs; null without a collector.
std::unique_ptr<SpanExporter> start_exporter(std::optional<CollectorUrl> collector, SpanSource source,
                                             std::function<void(const std::string&)> warn);

// Takes spans for an exporter, which outlives it; empty without one.
std::function<void(Span)> into(const std::unique_ptr<SpanExporter>& exporter);

}  // namespace berth
