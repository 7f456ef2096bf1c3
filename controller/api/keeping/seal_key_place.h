// What the box of a sealing key in the log is bound to. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace berth::controller::api {

// In the place of a user's name in a PasswordSeal: no user can have that name, so the box opens nowhere else.
inline std::string seal_key_place(std::uint32_t number) { return "/sealing key/" + std::to_string(number); }

}  // namespace berth::controller::api
