// Ids for tests: a name is an id, the same in every run.
#pragma once

#include <string>
#include <string_view>

#include "events/base/hash.h"
#include "events/base/uuid.h"

namespace berth::testing {

inline Uuid id_of(std::string_view name) { return Uuid::from_hash(blake2b_128(name)); }
inline SessionId session_id(std::string_view name) { return SessionId(id_of(name)); }
inline KernelId kernel_id(std::string_view name) { return KernelId(id_of(name)); }
inline std::string wire(const Uuid& id) { return std::string(id.view()); }
inline std::string wire(std::string_view name) { return wire(id_of(name)); }

inline Uuid test_cluster() { return id_of("cluster"); }

}  // namespace berth::testing
