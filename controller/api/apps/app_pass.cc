#include "controller/api/apps/app_pass.h"

#include <array>
#include <charconv>
#include <functional>

#include "controller/api/auth/base64url.h"
#include "controller/api/map/time_text.h"
#include "events/inside/fields.h"

namespace berth::controller::api {
namespace {

constexpr std::size_t kTextMax = 2048;
constexpr std::size_t kNumberBytes = 4;  // of the key, little-endian, before the nonce

Error invalid() {
  return make_error("pass-invalid", "this browser was not let into this app",
                    "open the app from the console again");
}

std::string_view word_of(AppPassSeal::Kind kind) {
  return kind == AppPassSeal::Kind::kTicket ? "app-ticket" : "app-cookie";
}

std::string encode(const AppPass& pass) {
  return encode_fields({{"id", to_string(pass.id)},
                        {"browser_session", to_string(pass.browser_session)},
                        {"user", pass.user},
                        {"app", pass.app.app},
                        {"session", to_string(pass.app.session)},
                        {"until", std::to_string(pass.until)},
                        {"console", pass.console}});
}

std::optional<AppPass> decode(std::string_view bytes) {
  const auto fields = decode_fields(bytes);
  if (!fields || fields->size() != 7) return std::nullopt;
  const auto& values = *fields;
  const auto id = Uuid::parse(values[0].second), browser = Uuid::parse(values[1].second);
  const auto session = Uuid::parse(values[4].second);
  const std::string& until = values[5].second;
  AppPass pass;
  const auto parsed = std::from_chars(until.data(), until.data() + until.size(), pass.until);
  if (!id || !browser || !session || parsed.ec != std::errc() || parsed.ptr != until.data() + until.size())
    return std::nullopt;
  pass.id = *id;
  pass.browser_session = *browser;
  pass.user = values[2].second;
  pass.app = {values[3].second, SessionId(*session)};
  pass.console = values[6].second;
  return pass;
}

}  // namespace

// Each text has one place, and the last that came there stays. Thread-safe.
class AppPassSeal::Cookies {
 public:
  std::optional<AppPass> find(std::string_view text) {
    const std::scoped_lock lock(mutex_);
    const Opened& opened = place_of(text);
    return opened.text == text ? std::optional(opened.pass) : std::nullopt;
  }
  void keep(std::string_view text, const AppPass& pass) {
    const std::scoped_lock lock(mutex_);
    place_of(text) = {std::string(text), pass};
  }

 private:
  struct Opened {
    std::string text;  // empty: none
    AppPass pass;
  };
  Opened& place_of(std::string_view text) {
    return opened_[std::hash<std::string_view>()(text) % opened_.size()];
  }

  std::mutex mutex_;
  std::array<Opened, 256> opened_;  // guarded
};

AppPassSeal::AppPassSeal(const Uuid& cluster, SealingRing ring)
    : cluster_(cluster), ring_(std::move(ring)), cookies_(std::make_shared<Cookies>()) {}

std::string AppPassSeal::seal(Kind kind, const AppPass& pass) const {
  const v1::Sealed sealed =
      ring_.newest().seal(encode(pass), SealBinding::of_app_pass(cluster_, word_of(kind)));
  std::string bytes;
  for (std::size_t i = 0; i < kNumberBytes; ++i) bytes += static_cast<char>(sealed.key() >> (8 * i) & 0xFF);
  return base64url(bytes + sealed.nonce() + sealed.box());
}

Result<AppPass> AppPassSeal::open(Kind kind, std::string_view text) const {
  if (text.empty() || text.size() > kTextMax) return invalid();
  if (kind != Kind::kCookie) return unseal(kind, text);
  if (auto known = cookies_->find(text)) return *std::move(known);
  auto pass = unseal(kind, text);
  if (pass) cookies_->keep(text, *pass);
  return pass;
}

Result<AppPass> AppPassSeal::unseal(Kind kind, std::string_view text) const {
  const auto bytes = from_base64url(text, text.size() * 3 / 4);
  if (!bytes || bytes->size() < kNumberBytes + kSealNonceBytes + kSealMacBytes) return invalid();
  v1::Sealed sealed;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < kNumberBytes; ++i)
    number |= static_cast<std::uint32_t>(static_cast<unsigned char>((*bytes)[i])) << (8 * i);
  sealed.set_key(number);
  sealed.set_nonce(bytes->substr(kNumberBytes, kSealNonceBytes));
  sealed.set_box(bytes->substr(kNumberBytes + kSealNonceBytes));
  const auto opened = ring_.open(sealed, SealBinding::of_app_pass(cluster_, word_of(kind)));
  if (!opened) return invalid();
  auto pass = decode(*opened);
  if (!pass) return invalid();
  return *pass;
}

// A ticket of before this process may have been used.
Result<void> UsedTickets::use(const AppPass& ticket, Timestamp now, Timestamp boottime) {
  if (now >= ticket.until || ticket.until - kLifetime < now - (boottime - since_))
    return make_error(
        "ticket-expired",
        "this ticket was good until " + format_second(ticket.until) + ", and " + cluster_says(now),
        "open the app from the console again");
  const std::scoped_lock lock(mutex_);
  std::erase_if(used_, [now](const auto& used) { return used.second <= now; });
  if (used_.size() >= kMax)
    return make_error("too-many-tickets", "too many apps are being opened", "try again in a minute");
  if (!used_.emplace(ticket.id, ticket.until).second)
    return make_error("ticket-used", "this ticket was used already", "open the app from the console again");
  return {};
}

}  // namespace berth::controller::api
