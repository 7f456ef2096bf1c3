// Which password is in force, said without the password: what was checked must be what is in force when the
// browser session starts. A password that is sealed with another key is still the same one.
#pragma once

#include <algorithm>

#include "events/base/hash.h"
#include "events/base/uuid.h"
#include "events/schema/v1/event.pb.h"

namespace berth::projections {

using PasswordMark = Uuid;

inline PasswordMark password_mark(const v1::PasswordSet& password) {
  return Uuid::from_bytes(password.mark()).value_or(PasswordMark{});
}

}  // namespace berth::projections
