// Lines of the events about how the cluster is kept.
#include "events/base/hash.h"
#include "events/base/wire_time.h"
#include "events/codec/describe_lines.h"
#include "events/codec/words/enum_words.h"

namespace berth {
namespace {

constexpr std::int64_t kDayMs = 24LL * 3'600'000;

std::string seal_key(std::uint32_t number) { return "sealing key " + std::to_string(number); }

std::string resealed(const v1::SecretResealed& e) {
  const std::string what =
      e.kind() == v1::SECRET_KIND_ENVIRONMENT ? to_hex(e.session().substr(0, 4)) : e.name();
  return word(e.kind()) + " " + what + ": " + seal_key(e.before()) + " to " +
         std::to_string(e.secret().key());
}

}  // namespace

std::string describe_keeping_event(const v1::Event& event) {
  if (event.has_history_rule_set()) {
    const std::int64_t keep = event.history_rule_set().keep_ms();
    return keep == 0 ? "kept for ever" : "kept for " + std::to_string(keep / kDayMs) + " days";
  }
  if (event.has_history_pruned())
    return "what ended before " + std::to_string(event.history_pruned().before_ns()) + " ns";
  if (event.has_cluster_restored()) {
    const auto& e = event.cluster_restored();
    return "from backup " + e.backup().substr(0, 8) + (e.into().empty() ? "" : " into " + e.into());
  }
  if (event.has_seal_key_added()) return seal_key(event.seal_key_added().number());
  if (event.has_seal_key_destroyed()) return seal_key(event.seal_key_destroyed().number());
  if (event.has_server_sealing())
    return event.server_sealing().server() + ": " + seal_key(event.server_sealing().number());
  if (event.has_backup_taken()) return "backup " + event.backup_taken().backup().substr(0, 8);
  if (event.has_secret_resealed()) return resealed(event.secret_resealed());
  return {};
}

}  // namespace berth
