// sinfo: resource groups and their agents, as partitions and nodes.
#include <algorithm>
#include <map>
#include <set>

#include "events/base/amount.h"
#include "ops/cli/command/paging.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/slurm/fields.h"
#include "ops/cli/slurm/hostlist.h"
#include "ops/cli/slurm/tool_runs.h"

namespace berth::cli::slurm {
namespace {

namespace json = boost::json;

constexpr const char* kUsualNodes = "%#P %.5a %.10l %.6D %.6t %N";
constexpr const char* kOneByOne = "%#N %.6D %#P %t";
constexpr const char* kSummary = "%#P %.5a %.10l %.16F %N";

// A line: agents of one group of which the same is printed.
struct NodeRow {
  std::string group;
  std::vector<const json::value*> agents;
};

struct NodeLetter {
  char letter;
  const char* title;
  bool of_all;  // of a line's agents together: no reason to print one apart
  std::string (*text)(const NodeRow& row);
};

struct NodeState {
  const char* short_name;
  const char* name;
};

Amount cpus_of(const json::value& agent, const char* what) {
  const auto* slots = find_path(agent, "slots");
  const auto* cpu = slots != nullptr && slots->is_object() ? slots->get_object().if_contains("cpu") : nullptr;
  const auto amount =
      cpu == nullptr ? Result<Amount>(Amount{0}) : parse_amount(SlotKind::kCount, text_at(*cpu, what));
  return amount ? *amount : 0;  // "-1": it gave more than it has, nothing is free
}

NodeState state_of_node(const json::value& agent) {
  if (text_at(agent, "state") != "ALIVE") return {"down*", "down*"};
  const bool busy = !array_at(agent, "kernels").empty();
  const auto* fit = find_path(agent, "fit");
  const bool unfit = fit != nullptr && fit->is_bool() && !fit->get_bool();
  if (unfit || true_at(agent, "draining"))
    return busy ? NodeState{"drng", "draining"} : NodeState{"drain", "drained"};
  if (!busy) return {"idle", "idle"};
  return cpus_of(agent, "free") > 0 ? NodeState{"mix", "mixed"} : NodeState{"alloc", "allocated"};
}

std::string state_text(const NodeRow& row, const char* NodeState::*name) {
  return row.agents.empty() ? "n/a" : state_of_node(*row.agents[0]).*name;
}

std::string nodes_text(const NodeRow& row) {
  std::vector<std::string> names;
  for (const auto* agent : row.agents) names.push_back(text_at(*agent, "name"));
  return hostlist(names);
}

// Allocated, idle, other and all.
std::string four(const std::string& a, const std::string& i, const std::string& o, const std::string& t) {
  return a + "/" + i + "/" + o + "/" + t;
}

std::string node_counts(const NodeRow& row) {
  std::size_t busy = 0, idle = 0;
  for (const auto* agent : row.agents) {
    const std::string state = state_of_node(*agent).short_name;
    if (state == "idle") ++idle;
    if (state == "mix" || state == "alloc" || state == "drng") ++busy;
  }
  const std::size_t all = row.agents.size();
  return four(std::to_string(busy), std::to_string(idle), std::to_string(all - busy - idle),
              std::to_string(all));
}

std::string cpu_counts(const NodeRow& row) {
  Amount taken = 0, idle = 0, other = 0;
  for (const auto* agent : row.agents) {
    const std::string state = state_of_node(*agent).short_name;
    const bool usable = state == "idle" || state == "mix" || state == "alloc";
    taken += cpus_of(*agent, "taken");
    (usable ? idle : other) += std::max<Amount>(0, cpus_of(*agent, "free"));
  }
  const auto text = [](Amount amount) { return format_amount(SlotKind::kCount, amount); };
  return four(text(taken), text(idle), text(other), text(taken + idle + other));
}

std::string first_slot(const NodeRow& row, const char* slot) {
  const auto* slots = row.agents.empty() ? nullptr : find_path(*row.agents[0], "slots");
  const auto* one = slots != nullptr && slots->is_object() ? slots->get_object().if_contains(slot) : nullptr;
  return one == nullptr ? "0" : text_at(*one, "capacity");
}

std::string node_gres(const NodeRow& row) {
  std::string text;
  const auto* slots = row.agents.empty() ? nullptr : find_path(*row.agents[0], "slots");
  if (slots == nullptr || !slots->is_object()) return "(null)";
  for (const auto& [slot, amounts] : slots->get_object())
    if (slot != "cpu" && slot != "mem" && slot != "disk")
      text += (text.empty() ? "" : ",") + std::string(slot) + ":" + text_at(amounts, "capacity");
  return text.empty() ? "(null)" : text;
}

std::string megabytes(const NodeRow& row) {
  const std::string bytes = first_slot(row, "mem");
  return std::to_string(std::atoll(bytes.c_str()) >> 20);
}

const NodeLetter kNodeLetters[] = {
    {'P', "PARTITION", false,
     [](const NodeRow& r) { return r.group == "default" ? r.group + "*" : r.group; }},
    {'R', "PARTITION", false, [](const NodeRow& r) { return r.group; }},
    {'a', "AVAIL", false, [](const NodeRow&) { return std::string("up"); }},
    {'l', "TIMELIMIT", false, [](const NodeRow&) { return std::string("infinite"); }},
    {'D', "NODES", true, [](const NodeRow& r) { return std::to_string(r.agents.size()); }},
    {'t', "STATE", false, [](const NodeRow& r) { return state_text(r, &NodeState::short_name); }},
    {'T', "STATE", false, [](const NodeRow& r) { return state_text(r, &NodeState::name); }},
    {'N', "NODELIST", true, nodes_text},
    {'n', "HOSTNAMES", false, nodes_text},
    {'F', "NODES(A/I/O/T)", true, node_counts},
    {'C', "CPUS(A/I/O/T)", true, cpu_counts},
    {'c', "CPUS", false, [](const NodeRow& r) { return first_slot(r, "cpu"); }},
    {'m', "MEMORY", false, megabytes},
    {'G', "GRES", false, node_gres}};

const NodeLetter* find_node_letter(char letter) {
  const auto found = std::ranges::find(kNodeLetters, letter, &NodeLetter::letter);
  return found == std::end(kNodeLetters) ? nullptr : &*found;
}

bool is_wanted(const std::vector<std::string>& wanted, const std::string& text) {
  return wanted.empty() || std::ranges::find(wanted, text) != wanted.end();
}

Outcome<bool> check_states(const std::vector<std::string>& states) {
  for (const auto& state : states)
    if (!is_wanted(
            {"idle", "mix", "mixed", "alloc", "allocated", "drain", "drained", "drng", "draining", "down"},
            state))
      return usage_failure("sinfo: '" + state.substr(0, 40) + "' is no state of a node here",
                           "idle, mix, alloc, drain, drng, down");
  return true;
}

bool has_state(const std::vector<std::string>& wanted, const json::value& agent) {
  const NodeState state = state_of_node(agent);
  return is_wanted(wanted, state.short_name) || is_wanted(wanted, state.name) ||
         (state.name == std::string("down*") && is_wanted(wanted, "down"));
}

// One line for all agents of a group of which the format's own fields are alike, in the groups' order.
std::vector<NodeRow> rows_of(const json::array& groups, const json::array& agents,
                             const std::vector<Field>& fields, const Given& given) {
  std::vector<NodeRow> rows;
  const auto nodes = given.list("nodes"), partitions = given.list("partition"), states = given.list("states");
  for (const auto& group : groups) {
    const std::string name = text_at(group, "name");
    if (!is_wanted(partitions, name)) continue;
    std::map<std::vector<std::string>, NodeRow> alike;
    for (const auto& agent : agents) {
      if (text_at(agent, "group") != name || !is_wanted(nodes, text_at(agent, "name")) ||
          !has_state(states, agent))
        continue;
      const NodeRow alone{name, {&agent}};
      std::vector<std::string> key;
      if (given.has("Node")) key.push_back(text_at(agent, "name"));
      for (const auto& field : fields)
        if (const auto* letter = find_node_letter(field.letter); letter != nullptr && !letter->of_all)
          key.push_back(letter->text(alone));
      NodeRow& row = alike[key];
      row.group = name;
      row.agents.push_back(&agent);
    }
    if (alike.empty() && nodes.empty() && states.empty() && !given.has("Node")) rows.push_back({name, {}});
    for (auto& [key, row] : alike) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string sinfo_letters() {
  std::string text = "Letters of --format:\n ";
  for (const auto& letter : kNodeLetters) text += std::string(" %") + letter.letter + " " + letter.title;
  return text + "\n";
}

Outcome<int> run_sinfo(Shell& shell, const Given& given) {
  std::vector<NodeRow> rows;
  const auto format = given.has("format")      ? given.value("format")
                      : given.has("summarize") ? kSummary
                      : given.has("Node")      ? kOneByOne
                                               : kUsualNodes;
  auto fields = parse_format_of("sinfo", format, [&rows](char letter) {
    const NodeLetter* known = find_node_letter(letter);
    if (known == nullptr) return Field{};
    Field field{.title = known->title};
    field.text = [&rows, known](std::size_t row) { return known->text(rows[row]); };
    return field;
  });
  if (!fields) return fields.failure();
  if (const auto checked = check_states(given.list("states")); !checked) return checked.failure();
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto groups = get_all(**api, "/v1/groups", "groups");
  if (!groups) return groups.failure();
  const auto agents = get_all(**api, "/v1/agents", "agents");
  if (!agents) return agents.failure();
  rows = rows_of(*groups, *agents, *fields, given);
  shell.out() << field_lines(std::move(*fields), rows.size(), !given.has("noheader"));
  return kOk;
}

}  // namespace berth::cli::slurm
