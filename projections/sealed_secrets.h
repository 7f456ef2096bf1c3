// The sealed secrets that live in a state: whose boxes a new sealing key is to seal anew (P29).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "events/schema/v1/common.pb.h"
#include "projections/tables/state.h"

namespace berth::projections {

// As a SecretResealed names it.
struct SealedSecret {
  v1::SecretKind kind = v1::SECRET_KIND_UNSPECIFIED;
  std::string name;   // of a key pair its id, of a password the user
  SessionId session;  // of an environment
  v1::Sealed sealed;
};

// The secret that the event would replace; nullopt where there is none (any more).
std::optional<SealedSecret> find_secret(const State& state, const v1::SecretResealed& which);

// Calls f for each secret that a key before `number` has sealed, in a defined order within a kind, until f
// returns false. Those of a key that is destroyed are dead, and are none.
void for_each_sealed_before(const State& state, std::uint32_t number,
                            const std::function<bool(const SealedSecret&)>& f);

// How many that are.
std::size_t count_sealed_before(const State& state, std::uint32_t number);

// The numbers of the keys that live secrets are sealed with.
std::set<std::uint32_t> keys_needed(const State& state);

// Whether the log destroyed the key of that number.
bool is_destroyed(const State& state, std::uint32_t number);

// The server of those heard within kSealerHeard that said last that it seals with key `number` or an older
// one; null: all seal with newer ones. `without`: servers that do not count.
const SealerRow* find_lagging_sealer(const State& state, std::uint32_t number, Timestamp now,
                                     const std::set<std::string>& without);

}  // namespace berth::projections
