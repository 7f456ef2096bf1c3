// With whom a session's owner shares it: they see the session and act in its kernels as the owner does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/base/uuid.h"
#include "events/schema/v1/common.pb.h"

namespace berth::projections {

inline constexpr int kSessionSharesMax = 64;  // of one session

struct SessionShare {
  v1::ScopeKind scope = v1::SCOPE_KIND_UNSPECIFIED;  // USER, PROJECT
  std::string id;                                    // of a project "DOMAIN/NAME"
  auto operator<=>(const SessionShare&) const = default;
  template <class V> void fields(V& v) {
    v(1, scope);
    v(2, id);
  }
};

// There is one for each session that is shared with somebody. It goes with its session.
struct SessionShareRow {
  using Key = SessionId;
  static constexpr std::uint8_t kTable = 31;

  SessionId session;
  std::vector<SessionShare> shares;  // in order, none twice

  Key key() const { return session; }
  template <class V> void fields(V& v) {
    v(1, session);
    v(2, shares);
  }
};

}  // namespace berth::projections
