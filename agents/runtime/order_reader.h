// OrderReader: a thread that reads the orders and acks of one agent: its partition of `orders`, and `health`.
//
// Only payloads with a right MAC under the agent's own key come through (P1); the rest is counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "agents/core/agent.h"
#include "events/codec/signing.h"
#include "events/log/event_log.h"

namespace berth::agents {

class OrderReader {
 public:
  // Called on the reader's thread.
  struct Sink {
    std::function<void()> ready;  // reads from now on, so the agent may join
    std::function<void(OrderArrived)> order;
    std::function<void(AckArrived)> ack;
    std::function<void()> rewound;  // an offset was out of range: orders may be lost
    std::function<void(const std::string&)> warn;
  };

  OrderReader(EventLog& log, const Signer& signer, std::string agent, Sink sink);
  ~OrderReader() { stop(); }

  void start();
  void stop();
  std::uint64_t dropped() const { return dropped_; }

 private:
  void run();
  bool open();
  void read(std::vector<LogEntry>& entries);
  void take_order(const LogEntry& entry);
  void take_acks(const LogEntry& entry);
  void drop(const Error& why);
  void trouble(const Error& why);
  void seek_into_range();
  void pause();

  EventLog& log_;
  const Signer& signer_;
  std::string agent_;
  Partition orders_;
  Partition health_{Stream::kHealth, 0};
  Sink sink_;
  std::mutex mutex_;
  std::unique_ptr<LogReader> reader_;  // made by the thread under the mutex; stop() wakes it
  Offset next_orders_ = 0;
  Offset next_health_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> dropped_{0};
  std::uint64_t troubles_ = 0;  // of the thread
  std::thread thread_;
};

}  // namespace berth::agents
