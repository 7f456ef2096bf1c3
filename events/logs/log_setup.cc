#include "events/logs/log_setup.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include "events/logs/json_line.h"

namespace berth {
namespace {

namespace level = spdlog::level;

std::atomic<bool> json_lines{false};
// Of the default logger; a signal's handler may only store into it.
std::atomic<spdlog::logger*> main_logger{nullptr};

std::optional<level::level_enum> level_of(const std::string& name) {
  for (const auto one : {level::trace, level::debug, level::info, level::warn, level::err}) {
    const auto known = level::to_string_view(one);
    if (name == std::string_view(known.data(), known.size())) return one;
  }
  return std::nullopt;
}

Result<level::level_enum> read_level(const std::string& name) {
  if (const auto known = level_of(name)) return *known;
  return make_error("log-level-invalid", "there is no level '" + name + "'",
                    std::string("it is ") + kLogLevels);
}

void step_level(int by) {
  if (spdlog::logger* logger = main_logger)
    logger->set_level(static_cast<level::level_enum>(
        std::clamp(static_cast<int>(logger->level()) + by, int{level::trace}, int{level::err})));
}

void on_more(int) { step_level(-1); }
void on_less(int) { step_level(1); }

void catch_level_signals() {
  struct sigaction action {};
  action.sa_flags = SA_RESTART;
  action.sa_handler = on_more;
  sigaction(SIGUSR1, &action, nullptr);
  action.sa_handler = on_less;
  sigaction(SIGUSR2, &action, nullptr);
}

// Puts a level back when its time is over. Its thread is there from the first such level on.
class LevelReturn {
 public:
  ~LevelReturn() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  void set(level::level_enum wanted, Duration lasts) {
    const std::lock_guard lock(mutex_);
    const auto logger = spdlog::default_logger();
    if (lasts == 0) {
      back_at_.reset();
    } else {
      if (!back_at_) back_to_ = logger->level();  // of two in a row the level of before both
      back_at_ = std::chrono::steady_clock::now() + std::chrono::nanoseconds(lasts);
      if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    }
    logger->set_level(wanted);
    changed_.notify_all();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      if (!back_at_) {
        changed_.wait(lock);
      } else if (std::chrono::steady_clock::now() >= *back_at_) {
        spdlog::default_logger()->set_level(back_to_);
        back_at_.reset();
      } else {
        changed_.wait_until(lock, *back_at_);
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
  std::optional<std::chrono::steady_clock::time_point> back_at_;
  level::level_enum back_to_ = level::info;
  bool stopping_ = false;
};

LevelReturn& level_return() {
  static LevelReturn one;
  return one;
}

}  // namespace

Result<void> set_up_logs(const LogOptions& options) {
  if (options.format != "auto" && options.format != "json" && options.format != "text")
    return make_error("log-format-invalid", "there is no log format '" + options.format + "'",
                      "it is json, text or auto");
  const auto first = read_level(options.level);
  if (!first) return first.error();
  json_lines = options.format == "json" || (options.format == "auto" && isatty(STDERR_FILENO) != 1);
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  if (json_lines) sink->set_formatter(std::make_unique<JsonLines>());
  auto logger = std::make_shared<spdlog::logger>(options.program, sink);
  if (json_lines) logger->set_formatter(std::make_unique<JsonLines>());
  logger->set_level(*first);
  logger->flush_on(level::info);
  static std::shared_ptr<spdlog::logger> kept;  // the handlers have its address
  spdlog::set_default_logger(logger);
  spdlog::default_logger()->set_level(*first);
  main_logger = logger.get();
  kept = std::move(logger);
  catch_level_signals();
  return {};
}

bool logs_json() { return json_lines; }

std::string log_level() {
  const auto name = level::to_string_view(spdlog::default_logger()->level());
  return {name.data(), name.size()};
}

Result<void> set_log_level(const std::string& name, Duration lasts) {
  const auto wanted = read_level(name);
  if (!wanted) return wanted.error();
  level_return().set(*wanted, lasts);
  return {};
}

}  // namespace berth
