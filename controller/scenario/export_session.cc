// Sessions of an exported scenario.
#include "controller/scenario/export_parts.h"

namespace berth::placement {

namespace json = boost::json;
using projections::KernelRow;
using projections::SessionRow;
using projections::SessionStatus;

namespace {

const char* type_name(v1::SessionType type) {
  switch (type) {
    case v1::BATCH: return "batch";
    case v1::INFERENCE: return "inference";
    case v1::SYSTEM: return "system";
    default: return "interactive";
  }
}

// `counts`: of each role.
json::array kernels_of(const Exporter& e, const v1::SessionSpec& spec,
                       const std::vector<std::uint32_t>& counts) {
  json::array kernels;
  for (int i = 0; i < spec.roles_size(); ++i) {
    const auto& role = spec.roles(i);
    if (counts[static_cast<std::size_t>(i)] == 0) continue;
    kernels.push_back({{"role", role.role()},
                       {"count", counts[static_cast<std::size_t>(i)]},
                       {"slots", e.amounts(role.slots())},
                       {"arch", role.architecture().empty() ? spec.architecture() : role.architecture()}});
  }
  if (kernels.empty())
    kernels.push_back(
        {{"role", "main"}, {"slots", json::object{}}});  // all have ended: a session has one at least
  return kernels;
}

std::vector<std::uint32_t> all_kernels(const v1::SessionSpec& spec) {
  std::vector<std::uint32_t> counts;
  for (const auto& role : spec.roles()) counts.push_back(role.count());
  return counts;
}

// A declared end counts from when it runs (order backfill): before that there is none, but for who waits.
void add_timeout(Exporter& e, const SessionRow& row, json::object& session) {
  const std::int64_t timeout = row.spec->spec.batch_timeout_ms();
  if (timeout == 0 || !(waits_in_file(row) || row.status == SessionStatus::kRunning)) return;
  session["timeout_s"] = timeout / 1000;
  if (timeout % 1000 != 0)
    e.note("session " + row.name + ": its batch timeout is rounded down to whole seconds");
}

void add_preferences(const SessionRow& row, json::object& session) {
  const v1::SessionSpec& spec = row.spec->spec;
  if (spec.agents_size() > 0)
    session["agents"] = {{"ids", json::array(spec.agents().begin(), spec.agents().end())},
                         {"rule", spec.agent_rule() == v1::AGENT_PREFERRED ? "preferred" : "strict"}};
  if (!spec.session_group().name().empty())
    session["session_group"] = {{"name", row.owner->owner.domain() + "/" + row.owner->owner.user() + "/" +
                                             spec.session_group().name()},
                                {"rule", spec.session_group().rule() == v1::PACK ? "pack" : "spread"},
                                {"strict", spec.session_group().strict()}};
  if (spec.job_priority() != 0) session["job_priority"] = spec.job_priority();
  if (spec.not_preemptible()) session["preemptible"] = false;
}

}  // namespace

// Those that still hold slots, and how many there are of each role: who has ended counts under no limit, so
// it is left out, and the others are numbered anew.
json::array Exporter::placed(const SessionRow& row, std::vector<std::uint32_t>& counts) {
  json::array list;
  counts.assign(static_cast<std::size_t>(row.spec->spec.roles_size()), 0);
  for (const KernelId& id : row.kernel_ids) {
    const KernelRow* kernel = state.kernels.find(id);
    if (kernel == nullptr || !kernel->holds_slots()) continue;
    const std::string name = kernel->role_spec().role() + std::to_string(++counts[kernel->role]);
    if (!agents.contains(kernel->agent)) {
      note("session " + row.name + " holds " + kernel->hostname() + " on " + kernel->agent +
           ", which is not in the file");
      continue;
    }
    json::object devices;
    for (const auto& share : kernel->devices) {
      json::value& device = devices[share.device];
      if (!device.is_object()) device = json::object{};
      device.get_object()[share.slot] = amount(share.slot, share.amount);
    }
    list.push_back({{"kernel", name}, {"agent", kernel->agent}, {"devices", std::move(devices)}});
  }
  return list;
}

// The place that is held for it, a kernel each; nothing where an agent of it is not in the file, which gives
// the place up.
json::array Exporter::held_places(const SessionRow& row) {
  json::array list;
  for (const projections::HeldPlace& place : row.places) {
    if (!agents.contains(place.agent)) {
      note("session " + row.name + " is RESERVED on " + place.agent +
           ", which is not in the file: it waits there");
      return {};
    }
    json::object devices;
    for (const auto& share : place.devices) {
      json::value& device = devices[share.device];
      if (!device.is_object()) device = json::object{};
      device.get_object()[share.slot] = amount(share.slot, share.amount);
    }
    const std::string kernel =
        row.spec->spec.roles(static_cast<int>(place.role)).role() + std::to_string(place.index);
    list.push_back({{"kernel", kernel}, {"agent", place.agent}, {"devices", std::move(devices)}});
  }
  return list;
}

json::object Exporter::export_session(const SessionRow& row, json::array& stubs) {
  const v1::SessionSpec& spec = row.spec->spec;
  const v1::Owner& owner = row.owner->owner;
  std::vector<std::uint32_t> counts = all_kernels(spec);
  json::array places;
  if (!waits_in_file(row)) places = placed(row, counts);
  if (row.status == SessionStatus::kReserved) places = held_places(row);
  const bool waits = waits_in_file(row) && places.empty();
  json::object session{{"id", out.names.at(row.id)},
                       {"group", spec.group()},
                       {"domain", owner.domain()},
                       {"project", project_name(owner.domain(), owner.project())},
                       {"user", owner.user()},
                       {"keypair", owner.keypair()},
                       {"type", type_name(spec.type())},
                       {"mode", spec.mode() == v1::MULTI_NODE ? "multi-node" : "single-node"},
                       {"priority", spec.priority()},
                       {"created", time_text(row.created_at)},
                       {"kernels", kernels_of(*this, spec, counts)},
                       {"state", waits ? "PENDING" : projections::name_of(row.status)}};
  if (spec.start_time_ms() != 0 && waits_in_file(row))
    session["start_time"] = time_text(spec.start_time_ms() * kMillisecond);
  if (row.running_at != 0 && !waits_in_file(row)) session["started"] = time_text(row.running_at);
  if (!waits) session["placed"] = std::move(places);
  if (row.retries != 0) session["retries"] = row.retries;
  if (row.attempts != 0) session["attempts"] = row.attempts;
  json::array failed_on;
  for (const auto& failed : row.failed_on)
    if (failed.until > options.now) failed_on.push_back(json::value(failed.agent));
  if (!failed_on.empty() && waits_in_file(row)) session["failed_on"] = std::move(failed_on);
  add_timeout(*this, row, session);
  add_preferences(row, session);
  if (waits_in_file(row) && !row.unmet.empty()) session["depends_on"] = dependencies(row, stubs);
  if (spec.wait_on_dependency_failure()) session["on_dependency_failure"] = "wait";
  return session;
}

}  // namespace berth::placement
