#include "controller/api/auth/password.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "controller/api/auth/lower_case.h"

namespace berth::controller::api {
namespace {

// What is tried first. Compared without regard to case.
constexpr std::array kCommon = {
    "12345678",  "123456789",     "1234567890",  "11111111",   "00000000", "87654321",   "password",
    "password1", "password12",    "password123", "passw0rd",   "p@ssw0rd", "qwertyui",   "qwertyuiop",
    "qwerty123", "1q2w3e4r",      "1qaz2wsx",    "iloveyou",   "sunshine", "princess",   "football",
    "baseball",  "superman",      "trustno1",    "letmein1",   "welcome1", "welcome123", "admin123",
    "admin1234", "administrator", "changeme",    "changeme1",  "abcd1234", "abc12345",   "a1b2c3d4",
    "asdfghjk",  "asdfasdf",      "zxcvbnm1",    "berthberth", "secret123"};

constexpr int kKnownInARow = 3;  // then one of the others, who may be right, too

Error no_memory() {
  return make_error("no-memory", "this server has no memory to check a password", "try again");
}

}  // namespace

std::optional<Problem> check_new_password(std::string_view password, std::string_view user) {
  if (password.size() < kPasswordBytesMin)
    return make_problem("password-too-short", "a password has at least 8 characters",
                        "several words make a good one");
  if (password.size() > kPasswordBytesMax)
    return make_problem("password-too-long", "a password has at most 1024 bytes");
  const std::string folded = lower_case(password);
  const bool known = std::find(kCommon.begin(), kCommon.end(), folded) != kCommon.end();
  const bool one_letter = folded.find_first_not_of(folded.front()) == std::string::npos;
  if (known || one_letter || folded == lower_case(user))
    return make_problem("password-too-common", "this password is among the first that are tried",
                        "several words make a good one");
  return std::nullopt;
}

Result<std::string> hash_password(std::string_view password, PasswordCost cost) {
  char text[crypto_pwhash_STRBYTES];
  const int rc = crypto_pwhash_str(text, password.data(), password.size(), cost.passes, cost.memory_bytes);
  if (rc != 0) return no_memory();
  return std::string(text);
}

Result<bool> check_password(const std::string& hash, std::string_view password) {
  errno = 0;
  const bool same = crypto_pwhash_str_verify(hash.c_str(), password.data(), password.size()) == 0;
  if (!same && errno == ENOMEM) return no_memory();
  return same;
}

PasswordThread::PasswordThread(PasswordCost cost, std::size_t queued_max)
    : cost_(cost), queued_max_(queued_max), thread_([this] { run(); }) {}

bool PasswordThread::check(const Asker& asker, std::optional<std::string> hash, std::string password,
                           std::function<void(Result<bool>)> done) {
  return post(asker, [this, hash = std::move(hash), password = std::move(password), done = std::move(done)] {
    auto same = check_password(hash.value_or(decoy_), password);
    if (same && !hash) same = false;
    done(std::move(same));
  });
}

bool PasswordThread::hash(const Asker& asker, std::string password,
                          std::function<void(Result<std::string>)> done) {
  return post(asker, [cost = cost_, password = std::move(password), done = std::move(done)] {
    done(hash_password(password, cost));
  });
}

bool PasswordThread::post(const Asker& asker, Task task) {
  const std::lock_guard lock(mutex_);
  Lane& lane = asker.known ? known_ : others_;
  if (stopping_ || lane.queued >= queued_max_) return false;
  const auto found = lane.of_network.find(asker.network);
  const bool first = found == lane.of_network.end();
  if (!first && found->second.size() >= kQueuedOfNetworkMax) return false;
  lane.of_network[asker.network].push(std::move(task));
  if (first) lane.turns.push(asker.network);
  ++lane.queued;
  changed_.notify_one();
  return true;
}

PasswordThread::Task PasswordThread::Lane::take() {
  const std::string network = std::move(turns.front());
  turns.pop();
  const auto found = of_network.find(network);
  Task task = std::move(found->second.front());
  found->second.pop();
  if (found->second.empty())
    of_network.erase(found);
  else
    turns.push(network);
  --queued;
  return task;
}

// The decoy is made before the first task, whosever password that concerns.
void PasswordThread::run() {
  while (const auto task = take()) {
    if (decoy_.empty())
      if (auto decoy = hash_password("nobody's", cost_)) decoy_ = std::move(*decoy);
    (*task)();
  }
}

std::optional<PasswordThread::Task> PasswordThread::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopping_ || known_.queued + others_.queued > 0; });
  if (stopping_) return std::nullopt;
  const bool known = known_.queued > 0 && (others_.queued == 0 || known_in_a_row_ < kKnownInARow);
  known_in_a_row_ = known ? known_in_a_row_ + 1 : 0;
  return known ? known_.take() : others_.take();
}

void PasswordThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace berth::controller::api
