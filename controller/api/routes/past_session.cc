#include "controller/api/routes/past_session.h"

namespace berth::controller::api {
namespace {

constexpr std::size_t kEntriesAtOnce = 500;
constexpr std::size_t kEntriesLooked = 2'000;  // by name; by id there is no bound

using Found = Result<std::optional<projections::HistoryEntry>>;

Found find_by_id_or_name(ApiContext& context, const Caller& caller, const std::string& id_or_name) {
  if (const auto id = Uuid::parse(id_or_name)) return context.find_history(SessionId(*id));
  std::optional<projections::HistoryEntry> others;
  std::string token;
  for (std::size_t looked = 0; looked < kEntriesLooked;) {
    auto page = context.read_history(kEntriesAtOnce, token);
    if (!page.ok()) return page.error();
    for (projections::HistoryEntry& entry : page->entries) {  // newest first: the first of a name is the one
      if (entry.session.name != id_or_name) continue;
      if (entry.session.owner->owner.user() == caller.user)
        return std::optional<projections::HistoryEntry>(std::move(entry));
      if (!others && caller.sees_all()) others = std::move(entry);
    }
    looked += page->entries.size();
    token = page->next_token;
    if (token.empty()) break;
  }
  return others;
}

}  // namespace

Result<projections::HistoryEntry> find_past(const Services& services, const Caller& caller,
                                            const std::string& id_or_name, const Error& not_found) {
  auto found = find_by_id_or_name(services.context, caller, id_or_name);
  if (!found.ok()) return found.error();
  const bool seen =
      found->has_value() && (caller.sees_all() || (*found)->session.owner->owner.user() == caller.user);
  if (!seen) return not_found;
  return std::move(**found);
}

}  // namespace berth::controller::api
