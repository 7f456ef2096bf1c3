// How people sign in: passwords, login links, browser sessions. Users and key pairs themselves are
// definitions (definition_tables.h).
#pragma once

#include <cstdint>
#include <string>

#include "events/base/clock.h"
#include "events/base/hash.h"
#include "events/base/uuid.h"
#include "projections/tables/definition_tables.h"

namespace berth::projections {

using PasswordRow = DefinitionRow<v1::PasswordSet, 25>;
// The one link that a user has at a time.
using LoginLinkRow = DefinitionRow<v1::LoginLinkIssued, 26>;

struct BrowserSessionRow {
  using Key = Uuid;
  static constexpr std::uint8_t kTable = 27;

  Uuid id;
  std::string user;
  Hash256 secret_hash{};  // of the cookie's secret
  Timestamp started_at = 0;
  Timestamp used_at = 0;     // a few minutes coarse
  Timestamp expires_at = 0;  // whatever its use
  std::string client;        // for people
  std::string address;       // for people

  Key key() const { return id; }
  template <class V> void fields(V& v) {
    v(1, id);
    v(2, user);
    v(3, secret_hash);
    v(4, started_at);
    v(5, used_at);
    v(6, expires_at);
    v(7, client);
    v(8, address);
  }
};

// An agent that the scheduler holds unreachable, as the log says it (P29).
struct UnreachableRow {
  using Key = std::string;
  static constexpr std::uint8_t kTable = 28;

  std::string agent;

  Key key() const { return agent; }
  template <class V> void fields(V& v) { v(1, agent); }
};

}  // namespace berth::projections
