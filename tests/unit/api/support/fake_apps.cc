#include "tests/unit/api/support/fake_apps.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <utility>

namespace berth::testing {
namespace {

constexpr std::chrono::seconds kAppPatience{20};
constexpr std::size_t kSaidAtOnce = 256u << 10;  // bytes of a read, as the tunnel's

class AppHandle final : public controller::KernelChannel {
 public:
  explicit AppHandle(std::shared_ptr<FakeApp> app) : app_(std::move(app)) {}
  ~AppHandle() override { app_->drop(); }
  AppHandle(const AppHandle&) = delete;
  AppHandle& operator=(const AppHandle&) = delete;
  void read(std::function<void(Result<std::string>)> done) override { app_->read(std::move(done)); }
  void write(std::string bytes, std::function<void(Result<void>)> done) override {
    app_->write(std::move(bytes), std::move(done));
  }
  void finish() override { app_->finish(); }

 private:
  const std::shared_ptr<FakeApp> app_;
};

Error lost() { return make_error("agent-unreachable", "the connection was cut"); }

}  // namespace

bool FakeApp::wait(Lock& lock, const std::function<bool()>& there) {
  return changed_.wait_for(lock, kAppPatience, there);
}

std::string FakeApp::until(std::string_view text) {
  Lock lock(mutex_);
  if (!wait(lock, [&] { return came_.find(text) != std::string::npos; })) return std::exchange(came_, {});
  const std::size_t size = came_.find(text) + text.size();
  std::string out = came_.substr(0, size);
  came_.erase(0, size);
  return out;
}

std::string FakeApp::take(std::size_t size) {
  Lock lock(mutex_);
  wait(lock, [&] { return came_.size() >= size; });
  std::string out = came_.substr(0, size);
  came_.erase(0, size);
  return out;
}

bool FakeApp::wait_until_finished() {
  Lock lock(mutex_);
  return wait(lock, [this] { return finished_; });
}

bool FakeApp::wait_until_gone() {
  Lock lock(mutex_);
  return wait(lock, [this] { return gone_; });
}

void FakeApp::hold_writes(bool hold) {
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

std::size_t FakeApp::untaken() {
  const std::lock_guard lock(mutex_);
  return said_.size();
}

void FakeApp::settle() {
  std::promise<void> given;
  thread_.post([&given] { given.set_value(); });
  given.get_future().wait();
}

void FakeApp::say(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  said_ += bytes;
  deliver();
}

void FakeApp::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  deliver();
}

void FakeApp::fail() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  deliver();
}

void FakeApp::deliver() {
  if (!reading_ || (!failed_ && said_.empty() && !ended_)) return;
  Result<std::string> result = std::string();
  if (failed_) {
    result = lost();
  } else {
    result = said_.substr(0, kSaidAtOnce);
    said_.erase(0, kSaidAtOnce);
  }
  thread_.post([done = std::exchange(reading_, nullptr), result = std::move(result)] { done(result); });
}

void FakeApp::read(std::function<void(Result<std::string>)> done) {
  const std::lock_guard lock(mutex_);
  EXPECT_FALSE(reading_) << "two reads at once";
  reading_ = std::move(done);
  deliver();
}

void FakeApp::write(std::string bytes, std::function<void(Result<void>)> done) {
  const std::lock_guard lock(mutex_);
  EXPECT_LE(bytes.size(), controller::KernelChannel::kWriteBytesMax);
  EXPECT_FALSE(holding_) << "two writes at once";
  EXPECT_FALSE(finished_) << "a write behind the end";
  if (hold_) {
    held_ = std::move(bytes);
    holding_ = std::move(done);
    return;
  }
  if (!failed_) came_ += bytes;
  changed_.notify_all();
  thread_.post(
      [done = std::move(done), failed = failed_] { done(failed ? Result<void>(lost()) : Result<void>()); });
}

void FakeApp::finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  changed_.notify_all();
}

void FakeApp::drop() {
  const std::lock_guard lock(mutex_);
  gone_ = true;
  reading_ = nullptr;
  holding_ = nullptr;
  changed_.notify_all();
}

std::shared_ptr<controller::KernelChannel> FakeApps::open(const controller::KernelPlace&,
                                                          const std::string& app,
                                                          controller::AppOpenedDone opened) {
  auto made = std::make_shared<FakeApp>(thread_, app);
  {
    const std::lock_guard lock(mutex_);
    apps_.push_back(made);
  }
  changed_.notify_all();
  const bool by_name = app.find_first_not_of("0123456789") != std::string::npos;
  thread_.post([opened = std::move(opened), refusal = refusal, token = by_name ? token : std::string()] {
    opened(refusal ? Result<controller::AppOpened>(*refusal) : controller::AppOpened{token});
  });
  return std::make_shared<AppHandle>(std::move(made));
}

std::shared_ptr<FakeApp> FakeApps::await(std::size_t number) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, kAppPatience, [&] { return apps_.size() > number; })) return apps_[number];
  ADD_FAILURE() << "nobody connected to the app";
  return std::make_shared<FakeApp>(thread_, "");
}

std::size_t FakeApps::opened() {
  const std::lock_guard lock(mutex_);
  return apps_.size();
}

}  // namespace berth::testing
