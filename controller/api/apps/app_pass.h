// AppPass: what lets one browser into one app: as a ticket, which opens once and within 30 s, and as the
// cookie of the app's origin, for which a ticket is exchanged. Both are sealed by the cluster's keys and hold
// all that they say, so that any server knows them, also after a restart; each use is checked against the
// state anew.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "controller/api/apps/app_names.h"
#include "events/base/clock.h"
#include "events/base/result.h"
#include "events/base/uuid.h"
#include "events/codec/sealing.h"

namespace berth::controller::api {

struct AppPass {
  Uuid id;               // fresh for each
  Uuid browser_session;  // that it was made for
  std::string user;
  AppId app;
  Timestamp until = 0;  // wall clock
  std::string console;  // origin of the console's page that asked for it, where problems lead back to
};

// Of one cluster. Thread-safe.
class AppPassSeal {
 public:
  enum class Kind : std::uint8_t { kTicket, kCookie };

  AppPassSeal(const Uuid& cluster, SealingRing ring);

  // Visible ASCII. REQUIRES: the ring is not empty.
  std::string seal(Kind kind, const AppPass& pass) const;
  // Code: pass-invalid (damaged, of another kind, cluster or key).
  Result<AppPass> open(Kind kind, std::string_view text) const;

 private:
  // A browser brings its cookie with each request: those that were opened last are known.
  class Cookies;
  Result<AppPass> unseal(Kind kind, std::string_view text) const;

  Uuid cluster_;
  SealingRing ring_;
  std::shared_ptr<Cookies> cookies_;
};

// The tickets that were used here. A ticket of before this object's time is not taken, since it may have been
// used. Thread-safe.
class UsedTickets {
 public:
  static constexpr Duration kLifetime = 30 * kSecond;  // of a ticket
  static constexpr std::size_t kMax = 100'000;         // kept; no ticket is taken beyond it

  explicit UsedTickets(Timestamp boottime) : since_(boottime) {}
  // Whether the ticket may be used now; then it is used. `now`: the cluster's time, `boottime`: this
  // machine's. Codes: ticket-expired, ticket-used, too-many-tickets.
  Result<void> use(const AppPass& ticket, Timestamp now, Timestamp boottime);

 private:
  const Timestamp since_;
  std::mutex mutex_;
  std::map<Uuid, Timestamp> used_;  // guarded; until when each is good
};

}  // namespace berth::controller::api
