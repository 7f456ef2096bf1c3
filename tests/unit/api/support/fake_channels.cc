#include "tests/unit/api/support/fake_channels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace berth::testing {
namespace {

constexpr std::chrono::seconds kLongest{20};
constexpr std::size_t kAtOnce = 256u << 10;  // bytes of a read, as the tunnel's

class Handle final : public controller::KernelChannel {
 public:
  explicit Handle(std::shared_ptr<FakeChannel> channel) : channel_(std::move(channel)) {}
  ~Handle() override { channel_->drop(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  void read(std::function<void(Result<std::string>)> done) override { channel_->read(std::move(done)); }
  void write(std::string bytes, std::function<void(Result<void>)> done) override {
    channel_->write(std::move(bytes), std::move(done));
  }
  void finish() override {}

 private:
  const std::shared_ptr<FakeChannel> channel_;
};

}  // namespace

bool FakeChannel::wait(Lock& lock, const std::function<bool()>& there) {
  return changed_.wait_for(lock, kLongest, there);
}

FakeChannel::Said FakeChannel::next() {
  Lock lock(mutex_);
  if (!wait(lock, [this] { return !written_.empty(); })) {
    ADD_FAILURE() << "the API wrote nothing";
    return {};
  }
  Said said = std::move(written_.front());
  written_.pop_front();
  return said;
}

inside::Request FakeChannel::request() {
  std::string bytes;
  Said said = next();
  for (; said.type == inside::FrameType::kRequestPart; said = next()) bytes += said.payload;
  EXPECT_EQ(said.type, inside::FrameType::kRequest);
  inside::Request request;
  const auto problem = inside::decode(bytes + said.payload, request);
  EXPECT_FALSE(problem) << problem->message;
  return request;
}

void FakeChannel::hold_writes(bool hold) {
  std::string held;
  std::function<void(Result<void>)> holding;
  {
    const std::lock_guard lock(mutex_);
    hold_ = hold;
    if (!hold) holding = std::exchange(holding_, nullptr);
    if (holding) held = std::exchange(held_, {});
  }
  if (holding) write(std::move(held), std::move(holding));
}

void FakeChannel::take_no_more() {
  const std::lock_guard lock(mutex_);
  takes_no_more_ = true;
}

void FakeChannel::say(const inside::Answer& answer) {
  std::string bytes;
  append_answer(bytes, answer);
  say_bytes(std::move(bytes));
}

void FakeChannel::say_bytes(std::string bytes) {
  const std::lock_guard lock(mutex_);
  bytes_ += bytes;
  deliver();
}

void FakeChannel::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  deliver();
}

void FakeChannel::fail(const Error& error) {
  const std::lock_guard lock(mutex_);
  error_ = error;
  deliver();
}

bool FakeChannel::wait_until_refused() {
  Lock lock(mutex_);
  return wait(lock, [this] { return refused_; });
}

bool FakeChannel::wait_until_gone() {
  Lock lock(mutex_);
  return wait(lock, [this] { return gone_; });
}

std::size_t FakeChannel::untaken() {
  const std::lock_guard lock(mutex_);
  return bytes_.size();
}

bool FakeChannel::wait_until_taken() {
  Lock lock(mutex_);
  return wait(lock, [this] { return bytes_.empty(); });
}

void FakeChannel::deliver() {
  if (!reading_ || (!error_ && bytes_.empty() && !ended_)) return;
  Result<std::string> result = std::string();
  if (error_) {
    result = *error_;
  } else {
    result = bytes_.substr(0, kAtOnce);
    bytes_.erase(0, kAtOnce);
  }
  changed_.notify_all();
  thread_.post([done = std::exchange(reading_, nullptr), result = std::move(result)] { done(result); });
}

void FakeChannel::read(std::function<void(Result<std::string>)> done) {
  const std::lock_guard lock(mutex_);
  EXPECT_FALSE(reading_) << "two reads at once";
  reading_ = std::move(done);
  deliver();
}

void FakeChannel::write(std::string bytes, std::function<void(Result<void>)> done) {
  const std::lock_guard lock(mutex_);
  EXPECT_LE(bytes.size(), controller::KernelChannel::kWriteBytesMax);
  EXPECT_FALSE(holding_) << "two writes at once";
  if (takes_no_more_) {
    refused_ = true;
    changed_.notify_all();
    thread_.post([done = std::move(done)] { done(make_error("stream-reset", "the stream is over")); });
    return;
  }
  if (hold_) {
    held_ = std::move(bytes);
    holding_ = std::move(done);
    return;
  }
  frames_.append(bytes);
  while (const auto frame = frames_.next()) written_.push_back({frame->type, std::string(frame->payload)});
  EXPECT_FALSE(frames_.broken());
  changed_.notify_all();
  thread_.post([done = std::move(done)] { done({}); });
}

void FakeChannel::drop() {
  const std::lock_guard lock(mutex_);
  gone_ = true;
  reading_ = nullptr;
  holding_ = nullptr;
  changed_.notify_all();
}

std::shared_ptr<controller::KernelChannel> FakeChannels::open(const controller::KernelPlace& kernel,
                                                              std::function<void(Result<void>)> opened) {
  auto channel = std::make_shared<FakeChannel>(thread_, kernel);
  {
    const std::lock_guard lock(mutex_);
    channels_.push_back(channel);
  }
  changed_.notify_all();
  thread_.post([opened = std::move(opened), refusal = refusal] {
    opened(refusal ? Result<void>(*refusal) : Result<void>());
  });
  return std::make_shared<Handle>(std::move(channel));
}

std::shared_ptr<FakeChannel> FakeChannels::await(std::size_t number) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, kLongest, [&] { return channels_.size() > number; })) return channels_[number];
  ADD_FAILURE() << "the API opened no channel";
  return std::make_shared<FakeChannel>(thread_, controller::KernelPlace{});
}

std::size_t FakeChannels::opened() {
  const std::lock_guard lock(mutex_);
  return channels_.size();
}

}  // namespace berth::testing
