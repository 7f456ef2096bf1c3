// Which password is in force, said without the password: what was checked must be what is in force when the
// browser session starts.
#pragma once

#include "events/base/hash.h"
#include "events/schema/v1/event.pb.h"
#include "projections/tables/row_codec.h"

namespace berth::projections {

inline Hash128 password_mark(const v1::PasswordSet& password) {
  return blake2b_128(canonical_bytes(password.hash()));
}

}  // namespace berth::projections
