// WriterSecrets: what the keys of writers are derived from (P1), also while they are changed (ADR 0097).
//
// What servers write (api:..., controller, journal) is signed under the cluster's secret for ever. The keys
// that are given out, of agents and producers, have a secret that can be changed: while it is, the secret
// before is good for each key that was given out under it, until its owner joins anew.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "events/codec/latest.h"

namespace berth {

// The newest generation of a key that a writer has: {"agent:a1": 2}.
using WriterGenerations = std::map<std::string, std::uint32_t, std::less<>>;

struct WriterSecret {
  std::string secret;       // 32 bytes
  WriterGenerations up_to;  // whose keys were derived of it; of the newest secret empty
  bool operator==(const WriterSecret&) const = default;
};

// Copies share what they know. Thread-safe; changed by one thread at a time.
class WriterSecrets {
 public:
  WriterSecrets() = default;
  // `given_out`: oldest first; empty: all keys are of the cluster's secret.
  explicit WriterSecrets(std::string cluster_secret, std::vector<WriterSecret> given_out = {});

  bool empty() const { return shared_ == nullptr; }
  // From here on. REQUIRES: !empty().
  void change(std::vector<WriterSecret> given_out);
  // Another one after each change: who keeps keys forgets them.
  std::uint64_t version() const { return empty() ? 0 : shared_->get().version; }
  // REQUIRES: !empty().
  std::string key_of(std::string_view writer, std::uint32_t generation) const;
  // Whether that key is one of a secret that is being given up.
  bool is_of_before(std::string_view writer, std::uint32_t generation) const;

 private:
  struct Known {
    std::string cluster_secret;
    std::vector<WriterSecret> given_out;
    std::uint64_t version = 0;
  };
  std::shared_ptr<Latest<Known>> shared_;
};

}  // namespace berth
