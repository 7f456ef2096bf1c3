#include "ops/cli/output/decision_view.h"

#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

// "main1 on a1 (gpu0: cuda.shares 0.5)"
std::string place_text(const json::value& place) {
  std::string devices;
  for (const auto& share : array_at(place, "devices"))
    devices += (devices.empty() ? "" : ", ") + text_at(share, "device") + ": " + text_at(share, "slot") +
               " " + amount_text(text_at(share, "slot"), text_at(share, "amount"));
  return text_at(place, "kernel") + " on " + text_at(place, "agent") +
         (devices.empty() ? "" : " (" + devices + ")");
}

std::string all_places(const json::value& decision, const char* member) {
  std::string out;
  for (const auto& place : array_at(decision, member)) out += (out.empty() ? "" : ", ") + place_text(place);
  return out.empty() ? "nowhere" : out;
}

std::string outcome_text(const json::value& step) {
  std::string out = text_at(step, "outcome");
  if (const std::string code = text_at(step, "code"); !code.empty() && code != out) out += " " + code;
  if (const std::string slot = text_at(step, "slot"); !slot.empty()) out += " " + slot;
  return out;
}

Listing queue_listing() {
  Listing listing;
  const auto name = [](const json::value& step) {
    const std::string text = text_at(step, "name");
    return text.empty() ? std::string("(not yours to see)") : text;
  };
  listing.columns = {column("PLACE", "place"),       {"SESSION", name},        column("USER", "user"),
                     column("PRIORITY", "priority"), column("ASKED", "asked"), {"OUTCOME", outcome_text}};
  return listing;
}

// "unused 0, free cuda.shares 1, free cpu 4": what says nothing is left away.
std::string scores_text(const json::value& agent) {
  std::string out;
  for (const auto& part : array_at(agent, "scores")) {
    const std::string name = text_at(part, "name"), slot = text_at(part, "slot"),
                      value = text_at(part, "value");
    const bool is_tier = name == "failed-here" || name == "not-designated" || name == "group-members";
    if (is_tier && value == "0") continue;
    out += (out.empty() ? "" : ", ") + name + (slot.empty() ? "" : " " + slot) + " ";
    out += value.empty() ? "none" : slot.empty() ? value : amount_text(slot, value);
  }
  return out;
}

Listing remaining_listing() {
  Listing listing;
  listing.columns = {column("AGENT", "agent"), {"COMPARED, IN ORDER", scores_text}};
  return listing;
}

std::string moved_in(const std::string& text) {
  std::string out = text.empty() ? "" : "  ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) out += "  ";
  }
  return out;
}

std::string removed_text(const json::value& filter) {
  std::string out;
  for (const auto& one : array_at(filter, "removed")) {
    out += (out.empty() ? "" : ", ") + text_at(one, "agent");
    if (const std::string slot = text_at(one, "slot"); !slot.empty())
      out += " (" + slot + ": " + amount_text(slot, text_at(one, "missing")) + " of " +
             amount_text(slot, text_at(one, "asked")) + " missing)";
  }
  const auto more =
      integer_at(filter, "removed_count") - static_cast<std::int64_t>(array_at(filter, "removed").size());
  return more > 0 ? out + " and " + std::to_string(more) + " more" : out;
}

std::string search_text(const json::value& search, const Style& style) {
  std::string out = "Place of " + text_at(search, "kernel") + ": " + text_at(search, "agents") + " agents\n";
  for (const auto& filter : array_at(search, "filters"))
    out += "  - " + text_at(filter, "filter") + ": " + text_at(filter, "removed_count") + " " +
           text_at(filter, "text") + ": " + removed_text(filter) + "\n";
  out += "  " + text_at(search, "remaining_count") + " left";
  if (const auto ties = integer_at(search, "ties"); ties > 1)
    out += ", " + std::to_string(ties) + " equally good: the smallest name takes it";
  out += "\n";
  const auto& remaining = array_at(search, "remaining");
  return remaining.empty() ? out : out + moved_in(print_list(remaining, remaining_listing(), style));
}

}  // namespace

Listing decision_listing() {
  Listing listing;
  listing.columns = {column("POSITION", "position"), column("SESSION", "name"), column("USER", "user"),
                     column("GROUP", "group"), column("EQUAL", "equal")};
  listing.name_path = "position";
  return listing;
}

std::string decision_text(const json::value& d, const Style& style) {
  std::string out = text_at(d, "position") + "  " + local_time(text_at(d, "time"), style.utc_offset) + "  " +
                    text_at(d, "name") + " of " + text_at(d, "user") + ", attempt " + text_at(d, "attempt") +
                    (text_at(d, "kind") == "held" ? ": a place is held for it\n" : ": placed\n");
  out += "group " + text_at(d, "group") + ": order " + text_at(d, "policy.order") + ", head of line " +
         text_at(d, "policy.head_of_line") + ", selection " + text_at(d, "policy.select") + "\n";
  out += "pass " + text_at(d, "pass.from") + " to " + text_at(d, "pass.to") + "\n\n";
  const auto& queue = array_at(d, "queue");
  out += "Queue: " + text_at(d, "queue_count") + " sessions, " + std::to_string(queue.size()) + " shown\n";
  out += moved_in(print_list(queue, queue_listing(), style)) + "\n";
  if (text_at(d, "was_held") == "true")
    out += "Its place was held since an earlier pass: nothing was searched\n";
  if (text_at(d, "behind_head") == "true")
    out += "Behind the head: its place must not delay the head's start\n";
  for (const auto& search : array_at(d, "searches")) out += search_text(search, style);
  if (const auto victims = integer_at(d, "victims_count"); victims > 0)
    out += std::to_string(victims) + " sessions make room for it\n";
  out += "\nComes out:  " + all_places(d, "places") + "\nRecorded:   " + all_places(d, "record") + "\n";
  out += text_at(d, "equal") == "true" ? "Equal to the record\n" : "NOT equal to the record\n";
  return out;
}

}  // namespace berth::cli
