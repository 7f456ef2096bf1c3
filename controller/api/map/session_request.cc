#include "controller/api/map/session_request.h"

#include <utility>

#include "controller/api/map/cluster_request.h"
#include "controller/api/map/json_reader.h"
#include "projections/tables/session_bounds.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

constexpr std::size_t kArgumentMax = 128u << 10;
constexpr std::size_t kItemsMax = 1024;
constexpr std::int64_t kPriorityMax = 1000;

constexpr std::pair<const char*, v1::SessionType> kTypes[] = {{"interactive", v1::INTERACTIVE},
                                                              {"batch", v1::BATCH},
                                                              {"inference", v1::INFERENCE},
                                                              {"system", v1::SYSTEM}};

void read_type(ObjectReader& in, v1::SessionSpec& spec) {
  const auto type = in.text("type", kTextMax);
  if (!type) return;
  for (const auto& [name, value] : kTypes)
    if (*type == name) spec.set_type(value);
  if (spec.type() == v1::SESSION_TYPE_UNSPECIFIED)
    in.fail("invalid-value", "type", "'" + clipped(*type) + "' is no session type",
            "interactive, batch, inference or system");
}

void read_ids(ObjectReader& in, std::int64_t count, v1::RequestSession& out) {
  const json::array* ids = in.array("session_ids", projections::kSessionsPerRequestMax);
  if (ids == nullptr) return;
  const std::string place = in.place_of("session_ids");
  for (const std::string& text : texts_of(*ids, place, 64, in.errors())) {
    const auto id = Uuid::parse(text);
    if (!id || id->is_nil())
      in.fail("invalid-value", "session_ids", "'" + clipped(text) + "' is no UUID");
    else
      out.add_session_ids(std::string(id->view()));
  }
  if (!ids->empty() && ids->size() != static_cast<std::size_t>(count))
    in.fail("invalid-spec", "session_ids",
            "as many ids as sessions (" + std::to_string(count) + ") must be given, or none");
}

void read_shm(ObjectReader& in, v1::SessionSpec& spec) {
  const json::value* value = in.raw("shm");
  if (value == nullptr) return;
  const auto amount = amount_of(SlotKind::kBytes, *value);
  if (!amount.ok()) return in.fail(amount.error().code, "shm", amount.error().message, amount.error().hint);
  if (*amount == 0)
    return in.fail("invalid-amount", "shm", "must be more than 0", "leave it out for a default");
  spec.set_shm(*amount);
}

void read_program(ObjectReader& in, v1::SessionSpec& spec) {
  if (const json::object* env = in.object("env")) {
    if (env->size() > kItemsMax)
      in.fail("invalid-value", "env", "has more than " + std::to_string(kItemsMax) + " variables");
    else
      for (auto& [key, value] : text_pairs_of(*env, in.place_of("env"), kArgumentMax, in.errors())) {
        v1::KeyValue* pair = spec.add_env();
        pair->set_key(std::move(key));
        pair->set_value(std::move(value));
      }
  }
  if (const json::array* command = in.array("command", kItemsMax))
    for (std::string& argument : texts_of(*command, in.place_of("command"), kArgumentMax, in.errors()))
      spec.add_command(std::move(argument));
}

void read_designated(ObjectReader& in, v1::SessionSpec& spec) {
  const json::object* designated = in.object("designated");
  if (designated == nullptr) return;
  ObjectReader inner(*designated, in.place_of("designated"), in.errors());
  const json::array* agents = inner.array("agents", projections::kDesignatedMax);
  inner.require("agents", agents != nullptr);
  if (agents != nullptr)
    for (std::string& agent : texts_of(*agents, inner.place_of("agents"), 64, in.errors()))
      spec.add_agents(std::move(agent));
  const std::string rule = inner.text("rule", 64).value_or("strict");
  if (rule != "strict" && rule != "preferred")
    inner.fail("invalid-value", "rule", "'" + clipped(rule) + "' is no rule", "strict or preferred");
  if (!spec.agents().empty())
    spec.set_agent_rule(rule == "preferred" ? v1::AGENT_PREFERRED : v1::AGENT_STRICT);
  inner.finish();
}

void read_session_group(ObjectReader& in, v1::SessionSpec& spec) {
  const json::object* group = in.object("session_group");
  if (group == nullptr) return;
  ObjectReader inner(*group, in.place_of("session_group"), in.errors());
  const auto name = inner.name("name");
  inner.require("name", name.has_value());
  const std::string rule = inner.text("rule", 64).value_or("spread");
  if (rule != "spread" && rule != "pack")
    inner.fail("invalid-value", "rule", "'" + clipped(rule) + "' is no rule", "spread or pack");
  spec.mutable_session_group()->set_name(name.value_or(""));
  spec.mutable_session_group()->set_rule(rule == "pack" ? v1::PACK : v1::SPREAD);
  spec.mutable_session_group()->set_strict(inner.boolean("strict").value_or(false));
  inner.finish();
}

void read_dependencies(ObjectReader& in, v1::RequestSession& out) {
  if (const json::array* on = in.array("depends_on", projections::kDependenciesMax))
    for (std::string& session : texts_of(*on, in.place_of("depends_on"), 64, in.errors()))
      out.add_depends_on(std::move(session));
  const auto failure = in.text("on_dependency_failure", 64);
  if (!failure) return;
  if (*failure != "cancel" && *failure != "wait")
    return in.fail("invalid-value", "on_dependency_failure", "'" + clipped(*failure) + "' is not possible",
                   "cancel or wait");
  out.mutable_spec()->set_wait_on_dependency_failure(*failure == "wait");
}

void read_times(ObjectReader& in, v1::SessionSpec& spec) {
  if (const auto timeout = in.duration_ms("pending_timeout")) spec.set_pending_timeout_ms(*timeout);
  if (const auto timeout = in.duration_ms("batch_timeout")) spec.set_batch_timeout_ms(*timeout);
  if (const auto start = in.time("start_time")) {
    if (*start / kMillisecond > projections::kSpecTimeMaxMs)
      in.fail("invalid-value", "start_time", "is out of range", "a time before 2116");
    spec.set_start_time_ms(*start / kMillisecond);
  }
  // A start time only binds batch sessions (tests/BEHAVIOURS.md V6): of others it is kept and nothing waits
  // for it.
  if (spec.type() != v1::BATCH && spec.batch_timeout_ms() != 0)
    in.fail("invalid-spec", "batch_timeout", "is for batch sessions only", "set \"type\": \"batch\"");
}

}  // namespace

const char* name_of(v1::ClusterMode mode) { return mode == v1::MULTI_NODE ? "multi-node" : "single-node"; }

const char* name_of(v1::SessionType type) {
  for (const auto& [name, value] : kTypes)
    if (type == value) return name;
  return "unspecified";
}

v1::RequestSession read_session_request(const json::object& body, const SlotKinds& kinds, v1::Owner& owner,
                                        Errors& errors, const FindMountFolder& find_folder) {
  ObjectReader in(body, "", errors);
  v1::RequestSession out;
  v1::SessionSpec& spec = *out.mutable_spec();
  out.set_name(in.name_or_none("name"));
  read_type(in, spec);
  if (const auto image = in.text("image", kTextMax)) spec.set_image(*image);
  if (const auto group = in.text("group", kTextMax)) spec.set_group(*group);
  const std::int64_t count = in.integer("count", 1, projections::kSessionsPerRequestMax).value_or(1);
  out.set_count(static_cast<std::uint32_t>(count));
  if (const auto priority = in.integer("priority", 1, kPriorityMax))
    spec.set_priority(static_cast<std::int32_t>(*priority));
  read_cluster(in, kinds, spec);
  read_designated(in, spec);
  read_session_group(in, spec);
  if (const auto priority =
          in.integer("job_priority", -projections::kJobPriorityMax, projections::kJobPriorityMax))
    spec.set_job_priority(static_cast<std::int32_t>(*priority));
  spec.set_not_preemptible(!in.boolean("preemptible").value_or(true));
  read_dependencies(in, out);
  read_shm(in, spec);
  read_program(in, spec);
  if (const auto requeueable = in.boolean("requeueable")) spec.set_requeueable(*requeueable);
  read_mounts(in, find_folder, spec);
  spec.set_no_automatic_folder(in.boolean("no_automatic_folder").value_or(false));
  read_times(in, spec);
  if (const auto attempts = in.integer("max_attempts", 1, 1000))
    spec.set_max_attempts(static_cast<std::uint32_t>(*attempts));
  spec.set_architecture(in.name_or_none("architecture"));
  read_ids(in, count, out);
  if (const auto domain = in.text("domain", kTextMax)) owner.set_domain(*domain);
  if (const auto project = in.text("project", kTextMax)) owner.set_project(*project);
  in.finish();
  return out;
}

}  // namespace berth::controller::api
