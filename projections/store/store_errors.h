// Codes of a Store's errors that callers act on. Pure. The disk's are in events/base/edge_errors.h.
#pragma once

#include "events/base/result.h"

namespace berth::projections {

inline constexpr Code kStoreCorruptCode = "store-corrupt";
inline constexpr Code kStoreSchemaCode = "store-schema";
inline constexpr Code kStoreFailedCode = "store-failed";

inline bool is_store_corrupt(const Error& error) { return error.code == kStoreCorruptCode; }
// The store is of no use to this build. It is disposable: the projection is rebuilt from the journal.
inline bool must_rebuild(const Error& error) {
  return is_store_corrupt(error) || error.code == kStoreSchemaCode;
}

}  // namespace berth::projections
