// PersonalCounts: how many things of a kind are open, in all and of each person (P33). Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace berth::controller::api {

class PersonalCounts {
 public:
  enum class Verdict : unsigned char { kTaken, kTooManyOfPerson, kTooMany };
  struct Taken {
    Verdict verdict = Verdict::kTaken;
    std::shared_ptr<void> token;  // counted until it goes, also after this object
  };

  PersonalCounts(std::size_t all, std::size_t each) : all_(all), each_(each) {}

  Taken take(const std::string& person) {
    const std::lock_guard lock(counted_->mutex);
    if (counted_->all >= all_) return {Verdict::kTooMany, nullptr};
    std::size_t& own = counted_->of[person];  // never 0 behind this call
    if (own >= each_) return {Verdict::kTooManyOfPerson, nullptr};
    ++own;
    ++counted_->all;
    return {Verdict::kTaken, std::make_shared<Token>(counted_, person)};
  }

 private:
  struct Counted {
    std::mutex mutex;
    std::size_t all = 0;
    std::map<std::string, std::size_t> of;
  };
  struct Token {
    Token(std::shared_ptr<Counted> c, std::string p) : counted(std::move(c)), person(std::move(p)) {}
    Token(const Token&) = delete;
    Token& operator=(const Token&) = delete;
    ~Token() {
      const std::lock_guard lock(counted->mutex);
      --counted->all;
      if (const auto own = counted->of.find(person); --own->second == 0) counted->of.erase(own);
    }
    const std::shared_ptr<Counted> counted;
    const std::string person;
  };

  const std::size_t all_, each_;  // at least 1
  const std::shared_ptr<Counted> counted_ = std::make_shared<Counted>();
};

}  // namespace berth::controller::api
