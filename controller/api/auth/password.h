// Passwords: what may be one, and Argon2id on a thread of its own. A hash takes 64 MiB and the better part of
// 100 ms, so they are made one at a time, and a queue that is full refuses.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <thread>

#include "controller/api/map/problem.h"
#include "events/base/result.h"

namespace berth::controller::api {

inline constexpr std::size_t kPasswordBytesMin = 8;
inline constexpr std::size_t kPasswordBytesMax = 1024;

// Why it cannot be that user's password. Codes: password-too-short, password-too-long, password-too-common.
std::optional<Problem> check_new_password(std::string_view password, std::string_view user);

// What a hash costs. Hashes of another cost can be checked.
struct PasswordCost {
  std::size_t memory_bytes = 64u << 20;
  unsigned passes = 3;
};

// Argon2id in libsodium's text form, with a salt of its own. Code: no-memory.
Result<std::string> hash_password(std::string_view password, PasswordCost cost);
// Whether `hash` is of that password. Code: no-memory.
Result<bool> check_password(const std::string& hash, std::string_view password);

// The thread. Thread-safe; its destruction drops what is queued. Networks take turns, with few places each,
// and users who signed in from their network before go first: a flood of guesses keeps nobody out (P33).
class PasswordThread {
 public:
  struct Asker {
    std::string network;
    bool known = false;  // signed in, or did so before from that network
  };
  static constexpr std::size_t kQueuedOfNetworkMax = 2;
  explicit PasswordThread(PasswordCost cost = {}, std::size_t queued_max = 32);
  ~PasswordThread() { stop(); }
  PasswordThread(const PasswordThread&) = delete;
  PasswordThread& operator=(const PasswordThread&) = delete;

  // Checks the password against the hash; against a fixed one of nobody's, and false, if there is none: the
  // same work whether the user exists or not. Returns false if too many are queued, of the network or in all;
  // else `done` is called once on the thread, unless stop() comes first.
  bool check(const Asker& asker, std::optional<std::string> hash, std::string password,
             std::function<void(Result<bool>)> done);
  // As check().
  bool hash(const Asker& asker, std::string password, std::function<void(Result<std::string>)> done);
  // Waits for the hash under way. Not from the thread.
  void stop();

 private:
  using Task = std::function<void()>;
  // Tasks by network, and whose turn it is.
  struct Lane {
    std::size_t queued = 0;
    std::map<std::string, std::queue<Task>> of_network;  // none is empty
    std::queue<std::string> turns;
    Task take();
  };
  bool post(const Asker& asker, Task task);
  void run();
  std::optional<Task> take();

  const PasswordCost cost_;
  const std::size_t queued_max_;
  std::string decoy_;  // the thread's
  std::mutex mutex_;
  std::condition_variable changed_;
  Lane known_, others_;
  int known_in_a_row_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace berth::controller::api
