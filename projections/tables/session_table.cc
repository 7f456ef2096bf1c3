#include "projections/tables/session_table.h"

namespace berth::projections {

const char* name_of(SessionStatus status) {
  static constexpr const char* kNames[] = {
      "",         "PENDING", "RESERVED",    "SCHEDULED",    "PREPARING",  "PULLING",   "PREPARED",
      "CREATING", "RUNNING", "TERMINATING", "RESCHEDULING", "TERMINATED", "CANCELLED", "ERROR"};
  return kNames[static_cast<int>(status)];
}

bool is_end(SessionStatus status) { return status >= SessionStatus::kTerminated; }

const char* name_of(SessionResult result) {
  static constexpr const char* kNames[] = {"", "SUCCESS", "FAILED"};
  return kNames[static_cast<int>(result)];
}

std::array<std::string, 4> scopes_of(const v1::Owner& owner) {
  const auto key = [](const char* scope, const std::string& id) {
    return id.empty() ? std::string() : std::string(scope) + "/" + id;
  };
  return {key("domain", owner.domain()),
          owner.project().empty() ? std::string() : "project/" + owner.domain() + "/" + owner.project(),
          key("user", owner.user()), key("keypair", owner.keypair())};
}

std::uint32_t kernel_count(const v1::SessionSpec& spec) {
  std::uint32_t count = 0;
  for (const auto& role : spec.roles()) count += role.count();
  return count;
}

bool SessionRow::load(const std::string& owner_bytes, const std::string& spec_bytes) {
  auto loaded_owner = std::make_shared<SharedOwner>();
  auto loaded_spec = std::make_shared<SharedSpec>();
  if (!loaded_owner->owner.ParseFromString(owner_bytes) || !loaded_spec->spec.ParseFromString(spec_bytes))
    return false;
  loaded_owner->bytes = owner_bytes;
  loaded_owner->scopes = scopes_of(loaded_owner->owner);
  loaded_spec->bytes = spec_bytes;
  owner = std::move(loaded_owner);
  spec = std::move(loaded_spec);
  return true;
}

}  // namespace berth::projections
