#include "agents/runtime/order_reader.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include "events/codec/ack_mac.h"
#include "events/codec/environment_seal.h"
#include "events/log/log_errors.h"
#include "events/log/orders_partition.h"

namespace berth::agents {
namespace {

constexpr Duration kPollWait = 500 * kMillisecond;
constexpr std::size_t kEntriesMax = 1024;
constexpr std::size_t kBytesMax = 4u << 20;
constexpr auto kErrorPause = std::chrono::milliseconds(200);
constexpr std::string_view kAgentWriter = "agent:";

}  // namespace

OrderReader::OrderReader(EventLog& log, const Signer& signer, std::string agent, Sink sink)
    : log_(log),
      signer_(signer),
      agent_(std::move(agent)),
      orders_(orders_partition(log.layout(), agent_)),
      sink_(std::move(sink)) {}

void OrderReader::start() {
  thread_ = std::thread([this] { run(); });
}

void OrderReader::stop() {
  stopping_ = true;
  {
    const std::lock_guard lock(mutex_);
    if (reader_) reader_->wake();
  }
  if (thread_.joinable()) thread_.join();
}

void OrderReader::pause() { std::this_thread::sleep_for(kErrorPause); }

void OrderReader::run() {
  while (!stopping_ && !open()) pause();
  if (stopping_) return;
  sink_.ready();
  std::vector<LogEntry> entries;
  while (!stopping_) {
    entries.clear();
    const auto polled = reader_->poll(kPollWait, kEntriesMax, kBytesMax, entries);
    read(entries);
    if (polled.ok()) continue;
    if (is_out_of_range(polled.error())) {
      seek_into_range();
    } else {
      trouble(polled.error());
    }
    pause();
  }
}

// Reads from the end: what it must know comes in the snapshot that answers a join made after this.
bool OrderReader::open() {
  const auto orders = log_.extent(orders_);
  const auto health = log_.extent(health_);
  if (!orders || !health) {
    trouble(orders.ok() ? health.error() : orders.error());
    return false;
  }
  next_orders_ = orders->end;
  next_health_ = health->end;
  auto reader = log_.open_reader({{orders_, next_orders_}, {health_, next_health_}});
  if (!reader) {
    trouble(reader.error());
    return false;
  }
  const std::lock_guard lock(mutex_);
  reader_ = std::move(reader.value());
  return true;
}

void OrderReader::read(std::vector<LogEntry>& entries) {
  for (const LogEntry& entry : entries) {
    if (entry.partition == orders_) {
      next_orders_ = entry.offset + 1;
      if (!entry.gap) take_order(entry);
    } else if (entry.partition == health_) {
      next_health_ = entry.offset + 1;
      if (!entry.gap) take_acks(entry);
    }
  }
}

void OrderReader::take_order(const LogEntry& entry) {
  const auto envelope = open_signed(signer_, Channel::kOrder, entry.payload);
  if (!envelope) {
    if (!is_not_ours(envelope.error())) drop(envelope.error());
    return;
  }
  OrderArrived arrived;
  if (!arrived.order.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())))
    return drop(make_error("order-malformed", "an order with a right MAC does not parse"));
  open_environments(arrived.order, signer_);
  sink_.order(std::move(arrived));
}

void OrderReader::take_acks(const LogEntry& entry) {
  const auto envelope = open_envelope(entry.payload, signer_.cluster());
  if (!envelope) return drop(envelope.error());
  if (envelope->writer.starts_with(kAgentWriter)) return;  // somebody's beat
  v1::Acks acks;
  if (!acks.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())))
    return drop(make_error("acks-malformed", "a batch of acks does not parse"));
  const auto election = Uuid::from_bytes(acks.election_nonce());
  for (v1::Ack& ack : *acks.mutable_acks()) {
    if (ack.agent() != agent_) continue;
    if (!election || !ack_mac_fits(signer_.key(), signer_.cluster(), acks, ack))
      return drop(make_error("bad-signature", "an ack for this agent has a wrong MAC"));
    sink_.ack({acks.epoch(), *election, ack});
  }
}

// Loud at first, then at powers of two: a flood of junk must not fill the disk with lines about it.
void OrderReader::drop(const Error& why) {
  const auto count = ++dropped_;
  if (std::has_single_bit(count))
    sink_.warn("dropped " + std::to_string(count) + " payloads so far, now: " + to_string(why));
}

void OrderReader::trouble(const Error& why) {
  if (std::has_single_bit(++troubles_))
    sink_.warn("the log cannot be read for now (" + std::to_string(troubles_) +
               " times so far): " + to_string(why));
}

void OrderReader::seek_into_range() {
  const auto orders = log_.extent(orders_);
  const auto health = log_.extent(health_);
  if (!orders || !health) return;
  const Offset orders_at = std::clamp(next_orders_, orders->begin, orders->end);
  const Offset health_at = std::clamp(next_health_, health->begin, health->end);
  const bool rewound = orders_at != next_orders_;
  next_orders_ = orders_at;
  next_health_ = health_at;
  reader_->seek(orders_, next_orders_);
  reader_->seek(health_, next_health_);
  if (rewound) sink_.rewound();
}

}  // namespace berth::agents
