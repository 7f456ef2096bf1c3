// Session specs for tests: Spec().batch().cpu(2).kernels(3)
#pragma once

#include <cstdint>
#include <string>

#include "events/base/amount.h"
#include "events/base/clock.h"
#include "events/schema/v1/common.pb.h"

namespace berth::testing {

inline constexpr Amount kMega = Amount{1} << 20;
inline constexpr Amount kGiga = Amount{1} << 30;

// Interactive, one kernel "main" of 1 cpu and 1 GiB in group "default", unless said otherwise.
class Spec {
 public:
  Spec();
  Spec& batch(const std::string& command = "true");
  Spec& cpu(Amount whole) { return slot("cpu", whole * kUnit); }
  Spec& mem(Amount bytes) { return slot("mem", bytes); }
  Spec& shares(Amount micro) { return slot("cuda.shares", micro); }
  Spec& devices(Amount whole) { return slot("cuda.device", whole * kUnit); }
  // Of every role there is; replaces the amount.
  Spec& slot(const std::string& name, Amount amount);
  Spec& kernels(std::uint32_t count) { return count_of("main", count); }
  Spec& count_of(const std::string& role,
                 std::uint32_t count);  // makes the role, with main's slots, if it is new
  Spec& group(const std::string& name);
  Spec& image(const std::string& reference);
  Spec& priority(std::int32_t priority);
  Spec& requeueable(bool yes = true);
  Spec& pending_timeout(Duration time);
  Spec& batch_timeout(Duration time);
  Spec& start_at(Timestamp time);
  Spec& max_attempts(std::uint32_t attempts);
  Spec& job_priority(std::int32_t priority) { return spec_.set_job_priority(priority), *this; }
  Spec& not_preemptible() { return spec_.set_not_preemptible(true), *this; }
  Spec& type(v1::SessionType type) { return spec_.set_type(type), *this; }
  Spec& session_group(const std::string& name, v1::SessionGroupRule rule, bool strict = false);

  operator v1::SessionSpec() const { return spec_; }  // NOLINT(google-explicit-constructor)
  v1::SessionSpec& proto() { return spec_; }

 private:
  v1::SessionSpec spec_;
};

v1::Owner owner(const std::string& user);

}  // namespace berth::testing
