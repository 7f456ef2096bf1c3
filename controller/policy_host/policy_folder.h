// PolicyFolder: the selection policies that an operator has put into one folder, NAME.so each.
//
// Only files there are loaded, by name without a path: regular files, no links, that belong to root or to
// whoever runs this and that nobody else may write; the same for the folder. find() and switch-ons are the
// core strand's, the rest is for any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "controller/policy_host/policy_process.h"
#include "events/base/name.h"
#include "events/base/refusal.h"

namespace berth::controller::policy {

class PolicyFolder final : public placement::CustomPolicies {
 public:
  // `folder` empty: there are none.
  PolicyFolder(std::string folder, std::string host, std::function<void(const std::string&)> say);

  // The policy of that name, started at the first question; asked for again: switched on again. Null: there
  // is none that may be used.
  placement::CustomPolicy* find(std::string_view name) override;
  // Why a group may not name it: unknown-policy, untrusted-policy, bad-policy (it does not load).
  std::optional<Refusal> check(const std::string& name) const;
  // Lines in Prometheus' text form.
  std::string metrics() const;

  // Whether this name may stand for a file at all: letters, digits, "-" and "_", at most 64.
  static bool is_name(std::string_view name);

 private:
  Result<std::string> library_of(std::string_view name) const;

  const std::string folder_, host_;
  const std::function<void(const std::string&)> say_;
  mutable std::mutex mutex_;  // of the map; never held while a policy is asked
  std::map<std::string, std::unique_ptr<PolicyProcess>, std::less<>> policies_;
};

// berth-policy-host beside the program that runs.
std::string policy_host_beside_self();

}  // namespace berth::controller::policy
