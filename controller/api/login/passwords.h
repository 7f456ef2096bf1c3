// Passwords of users on behalf of a call: checked, set, and what follows. Each replies itself if it cannot go
// on; what goes on runs on the password thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "controller/api/routes/asker.h"
#include "controller/api/routes/call.h"
#include "projections/password_mark.h"

namespace berth::controller::api {

struct GivenPassword {
  std::string user;
  std::string password;
};

// Goes on with password_mark() of the user's password if it is this one; else replies `wrong`, and the
// guess is counted. Further codes: too-many-logins, no-memory.
void with_password(const Services& services, const CallPtr& call, const Reply& reply, GivenPassword given,
                   Problem wrong, std::function<void(const projections::PasswordMark& mark)> go_on);

// By what a password is set: a login link, which is spent, or the user's old password.
struct PasswordProof {
  std::string link_hash;                              // of the link's token; empty: by the old password
  std::optional<projections::PasswordMark> replaces;  // password_mark() of the old password that was checked
};

// Replaces the user's password, which check_new_password() took, and goes on with password_mark() of it.
// Replies login-failed if another change has replaced the old password before this change is decided (P35).
void set_password(const Services& services, const CallPtr& call, const Reply& reply, GivenPassword given,
                  PasswordProof proof,
                  std::function<void(const projections::PasswordMark& mark, Offset position)> go_on);

// The user's address does not wait for others' guesses from now on.
void note_login(const Services& services, const Call& call, const std::string& user);

// Counts it, and writes a line into the security log. `by`: "password", "link".
void note_login_failure(const Services& services, const Call& call, const char* by, const std::string& user);

}  // namespace berth::controller::api
