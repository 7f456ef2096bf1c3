// What would become of sessions that were only tried (POST /v1/sessions?dry_run=true).
#include <cstdlib>

#include "ops/cli/output/json_text.h"
#include "ops/cli/output/times.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

// "main1 on a1 (gpu0: cuda.shares 0.5)"
std::string places_text(const json::value& session) {
  std::string out;
  for (const auto& kernel : array_at(session, "kernels")) {
    out += (out.empty() ? "" : ", ") + text_at(kernel, "kernel") + " on " + text_at(kernel, "agent");
    std::string devices;
    for (const auto& share : array_at(kernel, "devices"))
      devices += (devices.empty() ? "" : ", ") + text_at(share, "device") + ": " + text_at(share, "slot") +
                 " " + text_at(share, "amount");
    if (!devices.empty()) out += " (" + devices + ")";
  }
  return out;
}

std::string verdict(const json::value& session) {
  const json::value* starts = find_path(session, "starts_now");
  if (starts == nullptr || !starts->is_bool())
    return "may start or wait: the cell is too large to try its order";
  if (starts->get_bool()) return "would start now: " + places_text(session);
  const std::string others = text_at(session, "preempts_count");
  if (others.empty() || others == "0") return "would wait";
  std::string names;
  for (const auto& name : array_at(session, "preempts"))
    names += (names.empty() ? ": " : ", ") + scalar_text(name);
  return "would wait for " + others + (others == "1" ? " session" : " sessions") + " to make room" + names;
}

}  // namespace

Listing dry_run_listing() {
  Listing listing;
  listing.columns = {
      column("NAME", "name"), column("STARTS NOW", "starts_now"), {"WHERE", places_text, false, false}};
  listing.fields = {"name", "starts_now", "kernels", "preempts"};
  return listing;
}

namespace {

// Why there is no estimate; nothing where nobody asked for one.
std::string none_text(const std::string& code) {
  if (code == "ends-unknown") return "not known: too little is known of when those in its way end";
  if (code == "bound") return "not known: the cell is too large to look so far ahead";
  if (code == "never") return "never, unless its resource group changes";
  return code.empty() ? "" : "not known: " + code;
}

}  // namespace

std::string start_text(const json::value& item, Timestamp now, const Style& style) {
  std::string out;
  const auto in = [now](const std::string& time) {
    const auto at = parse_time(time);
    return at && *at > now ? "in " + format_duration(*at - now) : std::string("now");
  };
  const std::string half = text_at(item, "estimated_start.p50.at"),
                    most = text_at(item, "estimated_start.p90.at");
  if (!half.empty()) out = in(half) + " (" + local_time(half, style.utc_offset) + ")";
  if (!most.empty())
    out += (out.empty() ? "9 of 10 times " : "; 9 of 10 times ") + in(most) + " (" +
           local_time(most, style.utc_offset) + ")";
  const std::string told = text_at(item, "estimated_start.p90.told");
  if (out.empty()) return none_text(text_at(item, "estimated_start.p50.none"));
  if (told.empty() || told == "0") return out;
  const int met = std::atoi(text_at(item, "estimated_start.p90.met_permille").c_str());
  return out + "; that was so for " + std::to_string(met / 10) + "% of " + told;
}

std::string dry_run_text(const json::value& answer, Timestamp now, const Style& style) {
  std::string out;
  for (const auto& session : array_at(answer, "sessions"))
    out += printable(text_at(session, "name") + " " + verdict(session)) + "\n";
  const std::string note = text_at(answer, "note");
  if (!note.empty()) out += printable("note: " + note) + "\n";
  const json::value* waiting = find_path(answer, "waiting");
  if (waiting == nullptr || !waiting->is_object()) return out;
  std::string why = why_text(*waiting, now, style);
  const std::string code = text_at(*waiting, "code"), slot = text_at(*waiting, "slot");
  if (!code.empty())
    out += printable(text_at(*waiting, "name") + ": " + code + (slot.empty() ? "" : " " + slot)) + "\n";
  return out +
         why.erase(0, why.find('\n') + 1);  // its first line tells a status that the session does not have
}

}  // namespace berth::cli
