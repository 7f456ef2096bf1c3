#include "controller/api/map/cluster_request.h"

#include <algorithm>

#include "projections/tables/session_bounds.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

constexpr std::size_t kRolesMax = 32;

void read_mode(ObjectReader& in, v1::SessionSpec& spec) {
  const auto mode = in.text("mode", 64);
  if (!mode) return;
  if (*mode == "single-node")
    spec.set_mode(v1::SINGLE_NODE);
  else if (*mode == "multi-node")
    spec.set_mode(v1::MULTI_NODE);
  else
    in.fail("invalid-value", "mode", "'" + clipped(*mode) + "' is no mode", "single-node or multi-node");
}

void add_role(v1::SessionSpec& spec, const char* name, std::int64_t count,
              const std::vector<v1::SlotAmount>& slots) {
  v1::RoleSpec& role = *spec.add_roles();
  role.set_role(name);
  role.set_count(static_cast<std::uint32_t>(count));
  *role.mutable_slots() = {slots.begin(), slots.end()};
}

// No container starts with less (runc and the launcher take as much), so less is a unit that was forgotten.
constexpr Amount kMemoryMin = 4 << 20;

std::vector<v1::SlotAmount> read_slots(const SlotKinds& kinds, const json::object& resources,
                                       const std::string& place, Errors& errors) {
  auto slots = slots_of(kinds, resources, place, errors);
  for (const v1::SlotAmount& slot : slots)
    if (slot.slot() == "mem" && slot.amount() > 0 && slot.amount() < kMemoryMin) {
      const std::string bytes = std::to_string(slot.amount());
      errors.add("invalid-amount", place + ".mem", bytes + " bytes are less than a kernel starts with (4m)",
                 slot.amount() < 1024 ? bytes + " is bytes: write " + bytes + "m" : "write 4m or more");
    }
  return slots;
}

// A slot that the role names wins over the session's own.
void read_role_slots(ObjectReader& role_in, const SlotKinds& kinds, const std::vector<v1::SlotAmount>& common,
                     v1::RoleSpec& role) {
  std::vector<v1::SlotAmount> slots;
  if (const json::object* own = role_in.object("resources"))
    slots = read_slots(kinds, *own, role_in.place_of("resources"), role_in.errors());
  for (const v1::SlotAmount& slot : common)
    if (std::none_of(slots.begin(), slots.end(), [&](const auto& s) { return s.slot() == slot.slot(); }))
      slots.push_back(slot);
  std::sort(slots.begin(), slots.end(), [](const auto& a, const auto& b) { return a.slot() < b.slot(); });
  *role.mutable_slots() = {slots.begin(), slots.end()};
}

void read_role(const json::value& value, const std::string& place, const SlotKinds& kinds,
               const std::vector<v1::SlotAmount>& common, Errors& errors, v1::SessionSpec& spec) {
  if (!value.is_object()) return errors.add("invalid-value", place, "must be an object");
  ObjectReader in(value.get_object(), place, errors);
  const auto name = in.name("role");
  in.require("role", name.has_value());
  v1::RoleSpec& role = *spec.add_roles();
  role.set_role(name.value_or(""));
  for (int i = 0; i + 1 < spec.roles_size(); ++i)
    if (spec.roles(i).role() == role.role())
      in.fail("invalid-value", "role", "'" + clipped(role.role()) + "' is named twice");
  role.set_count(
      static_cast<std::uint32_t>(in.integer("count", 1, projections::kKernelsPerSessionMax).value_or(1)));
  role.set_image(in.text("image", kTextMax).value_or(""));
  role.set_architecture(in.name_or_none("architecture"));
  read_role_slots(in, kinds, common, role);
  in.finish();
}

}  // namespace

void read_cluster(ObjectReader& in, const SlotKinds& kinds, v1::SessionSpec& spec) {
  read_mode(in, spec);
  const json::object* resources = in.object("resources");
  const json::array* roles = in.array("roles", kRolesMax);
  const auto size = in.integer("cluster_size", 1, projections::kKernelsPerSessionMax);
  std::vector<v1::SlotAmount> common;
  if (resources != nullptr) common = read_slots(kinds, *resources, in.place_of("resources"), in.errors());
  if (roles == nullptr || roles->empty()) {
    in.require("resources", resources != nullptr);
    add_role(spec, "main", 1, common);
    if (size.value_or(1) > 1) add_role(spec, "sub", *size - 1, common);
    return;
  }
  if (size)
    in.fail("invalid-spec", "cluster_size", "is for sessions without roles", "the roles' counts say it");
  for (std::size_t i = 0; i < roles->size(); ++i)
    read_role((*roles)[i], in.place_of("roles") + "[" + std::to_string(i) + "]", kinds, common, in.errors(),
              spec);
}

}  // namespace berth::controller::api
