#include "ops/cli/slurm/job_fields.h"

#include <algorithm>
#include <map>

#include "events/base/amount.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"
#include "ops/cli/slurm/hostlist.h"
#include "ops/cli/slurm/jobs.h"
#include "ops/cli/slurm/slurm_times.h"

namespace berth::cli::slurm {
namespace {

namespace json = boost::json;

JobField member(const char* path) {
  return [path](const json::value& session, const Viewer&) { return text_at(session, path); };
}

JobField time_member(const char* path, const char* none) {
  return [path, none](const json::value& session, const Viewer& viewer) {
    const std::string text = clock_text(text_at(session, path), viewer.utc_offset);
    return text.empty() ? std::string(none) : text;
  };
}

std::string slot_of(const json::value& session, const char* slot) {
  const auto* slots = find_path(session, "resources");
  const auto* amount =
      slots != nullptr && slots->is_object() ? slots->get_object().if_contains(slot) : nullptr;
  return amount == nullptr ? std::string() : scalar_text(*amount);
}

bool has_place(const json::value& session) { return !text_at(session, "scheduled_at").empty(); }

// "cuda.shares:1" of all slots but cpu, mem and disk.
std::string gres_of(const json::value& session) {
  std::string text;
  const auto* slots = find_path(session, "resources");
  if (slots == nullptr || !slots->is_object()) return "N/A";
  for (const auto& [slot, amount] : slots->get_object())
    if (slot != "cpu" && slot != "mem" && slot != "disk")
      text += (text.empty() ? "" : ",") + std::string(slot) + ":" + scalar_text(amount);
  return text.empty() ? "N/A" : text;
}

std::string mem_of(const json::value& session) {
  const std::string bytes = slot_of(session, "mem");
  return bytes.empty() ? "0" : amount_text("mem", bytes);
}

std::string nodes_of(const json::value& session) {
  const std::size_t agents = array_at(session, "agents").size();
  return std::to_string(agents == 0 ? 1 : agents);
}

std::string nodelist_of(const json::value& session) {
  std::vector<std::string> agents;
  for (const auto& agent : array_at(session, "agents")) agents.push_back(scalar_text(agent));
  return hostlist(agents);
}

std::optional<Duration> limit_of(const json::value& session) {
  return parse_duration(text_at(session, "batch_timeout"));
}

std::string limit_text(const json::value& session) {
  const auto limit = limit_of(session);
  return limit ? span_text(*limit) : "UNLIMITED";
}

Duration run_time(const json::value& session, const Viewer& viewer) {
  const auto begin = parse_time(text_at(session, "running_at")),
             end = parse_time(text_at(session, "ended_at"));
  return begin ? std::max<Duration>(0, (end ? *end : viewer.now) - *begin) : 0;
}

std::string left_text(const json::value& session, const Viewer& viewer) {
  const auto limit = limit_of(session);
  return limit ? span_text(*limit - run_time(session, viewer)) : "UNLIMITED";
}

// "3:0", and "0:9" of a program that a signal ended.
std::string exit_text(const json::value& session) {
  const std::int64_t code = integer_at(session, "exit_code");
  for (const auto& kernel : array_at(session, "kernels"))
    if (text_at(kernel, "end") == "SIGNALLED" && code > 128) return "0:" + std::to_string(code - 128);
  return std::to_string(code) + ":0";
}

std::string command_of_job(const json::value& session) {
  std::string text;
  for (const auto& word : array_at(session, "command")) text += (text.empty() ? "" : " ") + scalar_text(word);
  return text.empty() ? "(null)" : text.substr(0, text.find('\n'));
}

// CPU-seconds, from its place to its end; an amount of micro-units, so that it is exact to the second.
std::int64_t cpu_seconds(const json::value& session, const Viewer& viewer) {
  const auto cpus = parse_amount(SlotKind::kCount, slot_of(session, "cpu"));
  if (!cpus) return 0;
  const __int128 micro = static_cast<__int128>(*cpus) * (elapsed_of(session, viewer.now) / kSecond);
  return static_cast<std::int64_t>(std::min<__int128>(micro / kUnit, INT64_MAX / kSecond));
}

std::map<std::string, JobField> make_fields() {
  using Session = json::value;
  std::map<std::string, JobField> fields;
  const auto plain = [&fields](const char* name, std::string (*text)(const Session&)) {
    fields[name] = [text](const Session& session, const Viewer&) { return text(session); };
  };
  plain("jobid", [](const Session& s) { return job_id_of(s); });
  plain("jobname", job_name_of);
  plain("st", [](const Session& s) { return std::string(job_state_of(s).letters); });
  plain("state", [](const Session& s) { return std::string(job_state_of(s).name); });
  plain("nodes", nodes_of);
  plain("nodelist", nodelist_of);
  plain("place", place_or_reason);
  plain("reason", job_reason_of);
  plain("cpus", [](const Session& s) { return slot_of(s, "cpu"); });
  plain("mem", mem_of);
  plain("gres", gres_of);
  plain("limit", limit_text);
  plain("command", command_of_job);
  plain("alloccpus", [](const Session& s) { return has_place(s) ? slot_of(s, "cpu") : std::string("0"); });
  plain("allocnodes", [](const Session& s) { return has_place(s) ? nodes_of(s) : std::string("0"); });
  plain("placed",
        [](const Session& s) { return has_place(s) ? nodelist_of(s) : std::string("None assigned"); });
  plain("exitcode", exit_text);
  fields["user"] = member("owner.user");
  fields["account"] = member("owner.project");
  fields["partition"] = member("group");
  fields["priority"] = member("priority");
  fields["sessionid"] = member("id");
  fields["submit"] = time_member("created_at", "N/A");
  fields["start"] = time_member("scheduled_at", "N/A");
  fields["end"] = time_member("ended_at", "N/A");
  fields["startunknown"] = time_member("scheduled_at", "Unknown");
  fields["endunknown"] = time_member("ended_at", "Unknown");
  fields["left"] = left_text;
  fields["time"] = [](const Session& s, const Viewer& viewer) { return span_text(run_time(s, viewer)); };
  fields["elapsed"] = [](const Session& s, const Viewer& v) { return long_span_text(elapsed_of(s, v.now)); };
  fields["elapsedraw"] = [](const Session& s, const Viewer& v) {
    return std::to_string(elapsed_of(s, v.now) / kSecond);
  };
  fields["cputime"] = [](const Session& s, const Viewer& v) {
    return long_span_text(cpu_seconds(s, v) * kSecond);
  };
  fields["cputimeraw"] = [](const Session& s, const Viewer& v) { return std::to_string(cpu_seconds(s, v)); };
  return fields;
}

}  // namespace

JobField job_field(const std::string& name) {
  static const auto kFields = make_fields();
  const auto found = kFields.find(name);
  return found == kFields.end() ? JobField() : found->second;
}

}  // namespace berth::cli::slurm
