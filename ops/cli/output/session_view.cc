// Sessions for people (views.h).
#include <algorithm>

#include "ops/cli/output/folder_view.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/times.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

}  // namespace

std::string reason_text(const json::value& session) {
  std::string text = text_at(session, "reason.code");
  if (const std::string slot = text_at(session, "reason.slot"); !slot.empty()) text += " " + slot;
  if (const std::string percent = text_at(session, "reason.percent"); !percent.empty())
    text += " " + percent + " %";
  return text;
}

namespace {

// The pause after a failed start is no start time that somebody asked for.
bool waits_after_failure(const json::value& s) {
  return code_at(s, "reason.code") == "start-time" && integer_at(s, "attempts") > 0 &&
         text_at(s, "start_time").empty();
}

// The agent that is not there, in `ls`.
std::string gone_text(const json::value& s) {
  const std::string agent = text_at(s, "agent_gone.agent");
  if (agent.empty()) return {};
  return agent + (text_at(s, "agent_gone.state") == "LEFT" ? " is stopped" : " is lost");
}

// Slurm's way: where it runs, or in parentheses why it does not.
std::string where_or_why(const json::value& s) {
  const std::string code = text_at(s, "reason.code");
  if (text_at(s, "status") == "PENDING" && waits_after_failure(s)) return "(next try after a failed start)";
  if (text_at(s, "status") == "PENDING" && !code.empty()) return "(" + reason_text(s) + ")";
  const std::string gone = text_at(s, "agent_gone.agent");
  std::string agents = gone.empty() ? "" : "(" + gone_text(s) + ")";
  for (const auto& agent : array_at(s, "agents"))
    if (const std::string name = scalar_text(agent); name != gone)
      agents += (agents.empty() ? "" : ",") + name;
  if (agents.empty() && !code.empty()) return "(" + code + ")";
  return agents;
}

// ... and in `show`: since when, and what comes next.
std::string gone_in_full(const json::value& s, Timestamp now, const Style& style) {
  const std::string gone = gone_text(s), since = text_at(s, "agent_gone.since");
  if (gone.empty()) return {};
  const std::string when =
      since.empty() ? ""
                    : " since " + local_time(since, style.utc_offset) + " (" + age_text(since, now) + " ago)";
  if (text_at(s, "agent_gone.state") == "LEFT")
    return gone + when + "; what runs there goes on, and its end is told when the agent is back";
  return gone + when + "; the session goes on when the agent is back (`berth session why` says more)";
}

// How long it runs, or has run.
std::string usage_time(const json::value& s, Timestamp now) {
  const auto begin = parse_time(text_at(s, "running_at"));
  if (!begin) return {};
  const auto end = parse_time(text_at(s, "ended_at"));
  return format_duration(std::max<Duration>(0, (end ? *end : now) - *begin));
}

// While an image is fetched: how far.
std::string status_text(const json::value& s) {
  const std::string status = text_at(s, "status");
  if (status != "PULLING") return status;
  for (const auto& kernel : array_at(s, "kernels"))
    if (text_at(kernel, "state") == "PULLING" && !text_at(kernel, "percent").empty())
      return status + " " + text_at(kernel, "percent") + "%";
  return status;
}

void line(std::string& out, const std::string& label, const std::string& value) {
  if (value.empty()) return;
  out += label + std::string(label.size() < 14 ? 14 - label.size() : 1, ' ') + printable(value) + "\n";
}

std::string devices_text(const json::value& kernel) {
  std::string text;
  for (const auto& d : array_at(kernel, "devices"))
    text += (text.empty() ? "" : ", ") + text_at(d, "device") + " " + text_at(d, "slot") + " " +
            amount_text(text_at(d, "slot"), text_at(d, "amount"));
  return text;
}

std::string kernels_table(const json::array& kernels, Timestamp now, const Style& style) {
  Listing listing;
  listing.columns = {column("KERNEL", "name"),
                     column("STATE", "state"),
                     column("AGENT", "agent"),
                     {"DEVICES", devices_text, false, false},
                     column("PID", "pid"),
                     {"TIME",
                      [now](const json::value& k) {
                        const auto begin = parse_time(text_at(k, "started_at"));
                        const auto end = parse_time(text_at(k, "ended_at"));
                        return begin ? format_duration(std::max<Duration>(0, (end ? *end : now) - *begin))
                                     : std::string();
                      },
                      false, false},
                     column("END", "end"),
                     column("EXIT", "exit_code"),
                     column("MESSAGE", "message"),
                     column("ID", "id")};
  listing.least = {"ID", "PID", "DEVICES", "TIME", "AGENT", "EXIT", "END"};
  listing.whole = "-o json";
  return print_list(kernels, listing, style);
}

// Each line of a text of the server's, printable, behind two blanks.
std::string indented(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    out += "  " + printable(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

}  // namespace

std::string share_text(const json::value& session) {
  if (true_at(session, "shared")) return "by " + text_at(session, "owner.user");
  const std::string with = shares_text(session);
  return with.empty() ? std::string() : "with " + with;
}

Listing with_shares(Listing sessions) {
  for (Column& column : sessions.columns)
    if (column.title == "SHARED") column.wide = false;
  return sessions;
}

bool is_ended(const std::string& status) {
  return status == "TERMINATED" || status == "CANCELLED" || status == "ERROR";
}

Listing session_listing(Timestamp now, bool ended) {
  Listing listing;
  listing.columns = {
      column("NAME", "name"),
      {"STATUS", status_text, false, false},
      column("IMAGE", "image"),
      {"RESOURCES",
       [](const json::value& s) {
         const auto* slots = find_path(s, "resources");
         return slots == nullptr ? std::string() : slots_text(*slots);
       },
       false, false},
      {"WHERE", where_or_why, false, false},
      {"AGE", [now](const json::value& s) { return age_text(text_at(s, "created_at"), now); }, false, true},
      {"RAN", [now](const json::value& s) { return usage_time(s, now); }, false, true},
      {"RESULT",
       [ended](const json::value& s) {
         if (!ended) return text_at(s, "result");
         return is_ended(text_at(s, "status")) ? end_text(s) : std::string();
       },
       !ended, false},
      column("TYPE", "type", true),
      column("GROUP", "group", true),
      column("OWNER", "owner.user", true),
      {"SHARED", share_text, true, false},
      column("PRIORITY", "priority", true),
      column("QUEUE", "queue_position", true),
      time_column("CREATED", "created_at", true),
      column("ID", "id", true)};
  listing.least = {"IMAGE", "RAN", "AGE", "RESOURCES"};
  listing.shortened = "RESULT";
  listing.fields = {"name",      "status",         "result",     "type",       "image",       "resources",
                    "group",     "owner.user",     "priority",   "agents",     "reason.code", "reason.slot",
                    "exit_code", "queue_position", "created_at", "running_at", "ended_at",    "id"};
  return listing;
}

std::string session_text(const json::value& s, Timestamp now, const Style& style) {
  std::string out;
  line(out, "Name", text_at(s, "name"));
  line(out, "Id", text_at(s, "id"));
  out += "Status        " + tinted(printable(text_at(s, "status")), style.color);
  const std::string result = text_at(s, "result"), reason = reason_text(s);
  if (!result.empty()) out += ", " + tinted(printable(result), style.color);
  if (!reason.empty()) out += " (" + printable(reason) + ")";
  out += "\n";
  line(out, "Agent", gone_in_full(s, now, style));
  line(out, "Message", text_at(s, "message"));
  line(out, "Exit code", text_at(s, "exit_code"));
  line(out, "Type", text_at(s, "type"));
  line(out, "Image", text_at(s, "image"));
  if (const auto* slots = find_path(s, "resources"))
    line(out, "Resources", slots_text(*slots) + "; shm " + amount_text("mem", text_at(s, "shm")));
  line(out, "Group", text_at(s, "group"));
  line(
      out, "Owner",
      text_at(s, "owner.user") + " (" + text_at(s, "owner.domain") + "/" + text_at(s, "owner.project") + ")");
  line(out, "Shared", share_text(s));
  line(out, "Priority", text_at(s, "priority"));
  const std::string job_priority = text_at(s, "job_priority"), group = text_at(s, "session_group.name");
  line(out, "Job priority", job_priority == "0" ? "" : job_priority);
  line(out, "Preemptible", text_at(s, "preemptible") == "false" ? "no" : "");
  if (!group.empty())
    line(out, "Session group",
         group + ", " + text_at(s, "session_group.rule") +
             (true_at(s, "session_group.strict") ? ", strict" : ""));
  std::string held;
  for (const auto& agent : array_at(s, "held_on")) held += (held.empty() ? "" : ", ") + scalar_text(agent);
  line(out, "Held on", held);
  line(out, "Preempted for", text_at(s, "preempted_for"));
  line(out, "In queue", text_at(s, "queue_position"));
  line(out, "Starts", start_text(s, now, style));
  std::string command;
  for (const auto& word : array_at(s, "command")) command += (command.empty() ? "" : " ") + scalar_text(word);
  line(out, "Command", command);
  if (const auto* env = find_path(s, "env"); env != nullptr && env->is_object())
    for (const auto& [key, value] : env->get_object())
      line(out, "Env", std::string(key) + "=" + scalar_text(value));
  for (const auto& mount : array_at(s, "mounts")) line(out, "Folder", mount_text(mount));
  line(out, "Folder", automatic_text(s));
  line(out, "Attempt", text_at(s, "attempt"));
  line(out, "Requeueable", true_at(s, "requeueable") ? "yes" : "");
  for (const auto& [label, key] : {std::pair{"Created", "created_at"},
                                   {"Scheduled", "scheduled_at"},
                                   {"Running", "running_at"},
                                   {"Ended", "ended_at"}}) {
    const std::string time = text_at(s, key);
    line(out, label,
         time.empty() ? "" : local_time(time, style.utc_offset) + " (" + age_text(time, now) + " ago)");
  }
  line(out, "Request", text_at(s, "request_id"));
  if (!array_at(s, "kernels").empty()) out += "\n" + kernels_table(array_at(s, "kernels"), now, style);
  return out;
}

std::string why_text(const json::value& why, Timestamp now, const Style& style) {
  const std::string status = text_at(why, "status");
  std::string out = printable(text_at(why, "name")) + " is " + tinted(printable(status), style.color);
  const std::string word = text_at(why, "code"), slot = text_at(why, "slot");
  const Code code = Code::told(word);
  if (!word.empty()) out += ": " + printable(word + (slot.empty() ? "" : " " + slot));
  out += "\n";
  // The first line says what the lines of what lacks say in more detail, but of what never fits.
  const bool twice = !array_at(why, "lacking").empty() && (code == "no-capacity" || code == "no-device") &&
                     text_at(why, "estimated_start.p50.none") != "never";
  const std::string text = text_at(why, "text");
  const auto more =
      std::min(text.find('\n'), text.size());  // beside what is missing: for whom it was preempted
  out += indented(!twice ? text : text.substr(std::min(more + 1, text.size())));
  for (const auto& lack : array_at(why, "lacking")) {
    const std::string name = text_at(lack, "slot"), where = text_at(lack, "where");
    out += printable("  " + name + ": asked " + amount_text(name, text_at(lack, "asked")) +
                     ", the best single place has " + amount_text(name, text_at(lack, "best_free")) +
                     " free" + (where.empty() ? " (no place has this slot)" : " (" + where + ")")) +
           "\n";
  }
  for (const auto& holder : array_at(why, "holders")) {
    const std::string name = text_at(holder, "slot"), device = text_at(holder, "device");
    out += printable("  held by " + text_at(holder, "name") + " of " + text_at(holder, "user") + ": " + name +
                     " " + amount_text(name, text_at(holder, "amount")) + " on " + text_at(holder, "agent") +
                     (device.empty() ? "" : "/" + device)) +
           "\n";
  }
  const std::int64_t unlisted = std::atoll(text_at(why, "holders_total").c_str()) -
                                static_cast<std::int64_t>(array_at(why, "holders").size());
  if (unlisted > 0) out += "  and " + std::to_string(unlisted) + " more\n";
  const std::string before = text_at(why, "blocked_by"), before_name = text_at(why, "blocked_by_name");
  const bool is_named = code == "behind-head" && !before_name.empty();  // by the text
  if (!before.empty() && !is_named)
    out += "  behind session " + printable(before_name.empty() ? before : before_name) + "\n";
  if (!text_at(why, "queue_position").empty())
    out += "  place in the queue: " + printable(text_at(why, "queue_position")) + "\n";
  if (const std::string start = start_text(why, now, style); !start.empty())
    out += "  estimated start: " + printable(start) + "\n";
  const auto& lines = array_at(why, "unblock.lines");
  for (const auto& line : lines)
    if (line.is_string()) out += "  " + printable(std::string(line.as_string())) + "\n";
  const bool says_how = !array_at(why, "unblock.ends").empty() || !array_at(why, "unblock.leaves").empty() ||
                        (code == "limit" && !lines.empty());
  if (!says_how && !text_at(why, "hint").empty())
    out += "  what would lift it: " + printable(text_at(why, "hint")) + "\n";
  return out;
}

}  // namespace berth::cli
