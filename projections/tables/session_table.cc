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

SpecPtr load_spec(const std::string& bytes) {
  auto loaded = std::make_shared<SharedSpec>();
  if (!loaded->spec.ParseFromString(bytes)) return nullptr;
  loaded->bytes = bytes;
  return loaded;
}

OwnerPtr load_owner(const std::string& bytes) {
  auto loaded = std::make_shared<SharedOwner>();
  if (!loaded->owner.ParseFromString(bytes)) return nullptr;
  loaded->bytes = bytes;
  loaded->scopes = scopes_of(loaded->owner);
  return loaded;
}

}  // namespace berth::projections
