#include "ops/cli/output/views.h"

#include <algorithm>

#include "events/base/slots/slot_name.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/times.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

// Amounts of the API; what does not parse counts as 0, so that a newer server's text never stops an older
// CLI.
Amount amount_at(const json::value& value, const char* path, SlotKind kind) {
  std::string text = text_at(value, path);
  const bool negative = !text.empty() && text[0] == '-';
  const auto amount =
      parse_amount(kind, negative ? std::string_view(text).substr(1) : std::string_view(text));
  return amount ? (negative ? -*amount : *amount) : 0;
}

std::string slots_taken_text(const json::value& slots) {
  std::string text;
  if (!slots.is_object()) return text;
  for (const auto& [key, value] : slots.get_object()) {
    const std::string slot(key);
    text += (text.empty() ? "" : ", ") + slot + " " + amount_text(slot, text_at(value, "taken")) + "/" +
            amount_text(slot, text_at(value, "capacity"));
  }
  return text;
}

std::string agent_state(const json::value& a) {
  const std::string state = text_at(a, "state");
  if (state != "ALIVE") return state;
  const auto* fit = find_path(a, "fit");
  if (fit != nullptr && fit->is_bool() && !fit->get_bool()) return "UNFIT";
  return true_at(a, "draining") ? "DRAINING" : state;
}

// Of others' kernels the asker is told how many there are.
std::int64_t kernels_of_others(const json::value& a) {
  return integer_at(a, "containers") - static_cast<std::int64_t>(array_at(a, "kernels").size());
}

std::string kernels_text(const json::value& a) {
  const std::int64_t others = kernels_of_others(a);
  const std::string own = std::to_string(array_at(a, "kernels").size());
  return others <= 0 ? text_at(a, "containers") : own + " (others " + std::to_string(others) + ")";
}

std::string pairs(const json::value& object) {
  std::string text;
  if (!object.is_object()) return text;
  for (const auto& [key, value] : object.get_object())
    text += (text.empty() ? "" : ", ") + std::string(key) + " " + scalar_text(value);
  return text;
}

Column nested(std::string title, std::string path, std::string (*show)(const json::value&),
              bool wide = false) {
  return {std::move(title),
          [path, show](const json::value& item) {
            const auto* found = find_path(item, path);
            return found == nullptr ? std::string() : show(*found);
          },
          wide, false, path};
}

std::string open_to_text(const json::value& scopes) {
  if (!scopes.is_array()) return {};
  std::string text;
  for (const auto& scope : scopes.get_array())
    text += (text.empty() ? "" : " ") + text_at(scope, "scope") + ":" + text_at(scope, "id");
  return text.empty() ? "everybody" : text;
}

std::string names_of(const json::value& list) {
  std::string text;
  if (!list.is_array()) return text;
  for (const auto& one : list.get_array()) text += (text.empty() ? "" : " ") + text_at(one, "name");
  return text;
}

std::string joined(const json::value& list) {
  std::string text;
  if (!list.is_array()) return text;
  for (const auto& element : list.get_array()) text += (text.empty() ? "" : " ") + scalar_text(element);
  return text;
}

}  // namespace

bool is_bytes(const std::string& slot) { return kind_by_name(slot) == SlotKind::kBytes; }

std::string amount_text(const std::string& slot, const std::string& amount) {
  if (!is_bytes(slot)) return amount;
  const bool negative = !amount.empty() && amount[0] == '-';
  const auto bytes = parse_amount(SlotKind::kBytes,
                                  negative ? std::string_view(amount).substr(1) : std::string_view(amount));
  return bytes ? short_amount(SlotKind::kBytes, negative ? -*bytes : *bytes) : amount;
}

std::string slots_text(const json::value& slots, const char* separator) {
  std::string text;
  if (!slots.is_object()) return text;
  for (const auto& [key, value] : slots.get_object())
    text += (text.empty() ? "" : separator) + std::string(key) + " " +
            amount_text(std::string(key), scalar_text(value));
  return text;
}

std::string age_text(const std::string& time, Timestamp now) {
  const auto at = parse_time(time);
  return at ? format_duration(std::max<Duration>(0, now - *at)) : std::string();
}

Listing agent_listing(Timestamp now) {
  Listing listing;
  listing.columns = {
      column("NAME", "name"),
      {"STATE", agent_state, false, false, "state"},
      column("GROUP", "group"),
      nested("TAKEN/CAPACITY", "slots", slots_taken_text),
      {"KERNELS", kernels_text, false, false, "containers"},
      column("BACKEND", "backend"),
      column("UNFIT", "unfit", true),
      {"JOINED", [now](const json::value& a) { return age_text(text_at(a, "joined_at"), now); }, false, true},
      column("VERSION", "version", true),
      column("ARCHITECTURE", "architecture", true),
      column("ADDRESS", "address", true),
      column("INCARNATION", "incarnation", true)};
  listing.least = {"BACKEND", "JOINED", "KERNELS", "GROUP"};
  listing.fields = {"name",  "state",   "draining",  "group",   "slots",        "containers", "fit",
                    "unfit", "backend", "joined_at", "version", "architecture", "address",    "incarnation"};
  return listing;
}

namespace {

// "43 % packages", "failed: no space left"; empty where it is not being built.
std::string build_text(const json::value& image) {
  const std::string percent = text_at(image, "building.percent"), step = text_at(image, "building.step");
  if (!percent.empty()) return percent + " %" + (step.empty() ? "" : " " + step);
  const std::string failed = text_at(image, "build_failed");
  return failed.empty() ? "" : "failed: " + failed;
}

}  // namespace

Listing image_listing() {
  Listing listing;
  listing.columns = {column("REFERENCE", "reference"),
                     column("ARCHITECTURE", "architecture"),
                     column("SOURCE", "source"),
                     {"BUILD", build_text, false, false},
                     nested("APPS", "apps", names_of, true),
                     column("DIGEST", "digest", true),
                     nested("LABELS", "labels", pairs, true)};
  listing.least = {"ARCHITECTURE", "SOURCE"};
  listing.name_path = "reference";
  return listing;
}

Listing group_listing() {
  Listing listing;
  listing.columns = {column("NAME", "name"),
                     column("ORDER", "order"),
                     {"HEAD OF LINE",
                      [](const json::value& g) {
                        const std::string n = text_at(g, "head_of_line.n");
                        return text_at(g, "head_of_line.policy") + (n.empty() || n == "0" ? "" : " " + n);
                      },
                      false, false},
                     column("IMPOSSIBLE", "impossible", true),
                     column("SELECT", "select"),
                     nested("SLOT PRIORITY", "slot_priority", joined, true),
                     column("PENDING TIMEOUT", "pending_timeout", true),
                     column("MAX ATTEMPTS", "max_attempts", true),
                     column("EGRESS", "egress"),
                     nested("OPEN TO", "open_to", open_to_text, true),
                     {"PREEMPTION",
                      [](const json::value& g) {
                        if (!true_at(g, "preemption.enabled")) return std::string("off");
                        return text_at(g, "preemption.order") + " " + text_at(g, "preemption.mode") + " " +
                               text_at(g, "preemption.scope");
                      },
                      true, false}};
  listing.fields = {"name",          "order",           "head_of_line", "impossible", "select",
                    "slot_priority", "pending_timeout", "max_attempts", "egress",     "preemption"};
  return listing;
}

Listing fair_share_listing() {
  Listing listing;
  listing.columns = {column("SCOPE", "scope"),   column("ID", "id"),
                     column("RANK", "rank"),     column("FACTOR", "factor"),
                     column("WEIGHT", "weight"), nested("USED (SLOT-SECONDS)", "used", pairs)};
  listing.name_path = "id";
  return listing;
}

Listing limit_listing() {
  const auto used = [](const char* what) {
    return [what](const json::value& l) {
      const std::string most = text_at(l, what);
      return text_at(l, (std::string("using.") + what).c_str()) + (most.empty() ? "" : " of " + most);
    };
  };
  // "cpu 2 of 10, cuda.shares 0 of 4": the slots that the limit names.
  const auto slots = [](const json::value& l) {
    std::string text;
    const auto* limits = find_path(l, "slots");
    const auto* held = l.is_object() ? l.get_object().if_contains("using") : nullptr;
    if (limits == nullptr || !limits->is_object() || held == nullptr) return text;
    const auto* held_slots = held->is_object() ? held->get_object().if_contains("slots") : nullptr;
    for (const auto& [slot, most] : limits->get_object()) {
      const auto* now = held_slots != nullptr && held_slots->is_object()
                            ? held_slots->get_object().if_contains(slot)
                            : nullptr;
      const std::string name(slot);
      text += (text.empty() ? "" : ", ") + name + " " +
              amount_text(name, now == nullptr ? "0" : scalar_text(*now)) +
              (most.is_null() ? " unlimited" : " of " + amount_text(name, scalar_text(most)));
    }
    return text;
  };
  Listing listing;
  listing.columns = {column("SCOPE", "scope"),
                     column("ID", "id"),
                     {"SLOTS", slots, false, false},
                     column("OTHERS", "unlisted", true),
                     {"SESSIONS", used("sessions"), false, false},
                     {"PENDING", used("pending"), false, false},
                     {"SYSTEM", used("system_sessions"), true, false},
                     column("KERNELS", "kernels_per_session", true),
                     column("PRIORITY", "priority", true)};
  listing.least = {"PENDING", "SESSIONS"};
  listing.fields = {"scope",
                    "id",
                    "slots",
                    "unlisted",
                    "sessions",
                    "system_sessions",
                    "pending",
                    "pending_slots",
                    "kernels_per_session",
                    "priority",
                    "using"};
  listing.name_path = "id";
  return listing;
}

Listing preset_listing() {
  Listing listing;
  listing.columns = {column("NAME", "name"),
                     nested("RESOURCES", "resources", [](const json::value& v) { return slots_text(v); }),
                     column("SHM", "shm", true), column("STARTS NOW", "allocatable")};
  return listing;
}

Listing event_listing() {
  Listing listing;
  listing.columns = {column("ID", "id"),
                     time_column("TIME", "time"),
                     column("TYPE", "type"),
                     column("TEXT", "text"),
                     column("ACTOR", "actor", true),
                     column("REQUEST", "request_id", true),
                     column("CAUSE", "cause", true),
                     column("SESSION", "session", true)};
  listing.name_path = "id";
  return listing;
}

std::string event_line(const json::value& event, const Style& style) {
  const auto at = parse_time(text_at(event, "time"));
  const std::string type = text_at(event, "type"), text = text_at(event, "text"), id = text_at(event, "id");
  const std::string head = id + std::string(id.size() < 9 ? 9 - id.size() : 1, ' ') +
                           (at ? local_clock(*at, style.utc_offset) : text_at(event, "time")) + "  ";
  return printable(head + (text.rfind(type, 0) == 0 ? text : type + " " + text));
}

std::string agent_text(const json::value& a, const Style& style) {
  std::string out = "Name          " + printable(text_at(a, "name")) + "\nState         " +
                    tinted(printable(agent_state(a)), style.color) + "\n";
  if (const std::string why = text_at(a, "unfit"); !why.empty())
    out += "Unfit         " + printable(why) +
           "\n              it takes no sessions; `berth agent check` on its " +
           "machine says what to mend\n";
  for (const auto& [label, key] : {std::pair{"Group         ", "group"},
                                   {"Backend       ", "backend"},
                                   {"Architecture  ", "architecture"},
                                   {"Version       ", "version"},
                                   {"Address       ", "address"},
                                   {"Incarnation   ", "incarnation"}})
    if (!text_at(a, key).empty()) out += label + printable(text_at(a, key)) + "\n";
  if (const std::string joined = text_at(a, "joined_at"); !joined.empty())
    out += "Joined        " + printable(local_time(joined, style.utc_offset)) + "\n";
  if (const auto* slots = find_path(a, "slots"))
    out += "Taken/all     " + printable(slots_taken_text(*slots)) + "\n";
  if (const auto* enforced = find_path(a, "disk_enforced");
      enforced != nullptr && enforced->is_bool() && !enforced->get_bool())
    out += "Disk          not enforced: its kernels are processes, which can write more\n";
  for (const auto& device : array_at(a, "devices")) {
    const auto* slots = find_path(device, "slots");
    out += "Device        " +
           printable(text_at(device, "id") + " " + text_at(device, "model") + ": " +
                     (slots == nullptr ? "" : slots_taken_text(*slots))) +
           "\n";
  }
  Listing kernels;
  kernels.columns = {column("KERNEL", "name"),
                     column("SESSION", "session_name"),
                     column("USER", "user"),
                     column("STATE", "state"),
                     nested("RESOURCES", "resources", [](const json::value& v) { return slots_text(v); }),
                     column("ID", "id")};
  kernels.least = {"ID", "RESOURCES", "STATE"};
  kernels.whole = "-o json";
  if (const std::int64_t others = kernels_of_others(a); others > 0)
    out += "Of others     " + std::to_string(others) + (others == 1 ? " kernel" : " kernels") + "\n";
  if (!array_at(a, "kernels").empty()) out += "\n" + print_list(array_at(a, "kernels"), kernels, style);
  return out;
}

std::string cluster_text(const json::value& c, bool color) {
  std::string out;
  if (!c.is_object()) return out;
  std::size_t width = 0;
  for (const auto& [key, value] : c.get_object()) width = std::max(width, key.size());
  for (const auto& [key, value] : c.get_object()) {
    std::string label(key);
    for (char& ch : label) ch = ch == '_' ? ' ' : ch;
    label[0] = static_cast<char>(label[0] >= 'a' && label[0] <= 'z' ? label[0] - 'a' + 'A' : label[0]);
    const std::string text = value.is_object() ? pairs(value) : scalar_text(value);
    out += label + std::string(width + 2 - label.size(), ' ') +
           tinted(printable(text.empty() ? "-" : text), color) + "\n";
  }
  return out;
}

BarStyle bar_style(const Style& style) {
  constexpr int kBeside = 53;  // a slot's name, a group's, brackets, "5.5g / 23g  (256m reserved)"
  return {style.columns_max == 0 ? 20 : std::clamp(style.columns_max - kBeside, 6, 20), style.color};
}

std::string resource_text(const json::value& resource, const BarStyle& style) {
  std::vector<SlotBars> slots;
  for (const auto& slot : array_at(resource, "slots")) {
    SlotBars bars;
    bars.slot = printable(text_at(slot, "slot"));
    bars.kind = text_at(slot, "kind") == "bytes" ? SlotKind::kBytes : SlotKind::kCount;
    const Amount reserved = amount_at(slot, "reserved", bars.kind);
    const auto bar = [&](const char* used, const char* total) {
      const Amount held = amount_at(slot, used, bars.kind);
      return Bar{held - std::min(held, reserved), std::min(held, reserved),
                 amount_at(slot, total, bars.kind)};
    };
    bars.group = bar("upper.used", "upper.total");
    bars.all = bar("lower.used", "lower.total");
    if (bars.group.total != 0 || bars.all.total != 0)
      slots.push_back(bars);  // a slot that nobody has and nobody holds is noise
  }
  return draw_indicator(printable(text_at(resource, "group")), slots, style);
}

}  // namespace berth::cli
