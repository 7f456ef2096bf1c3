// The raw journal, for readers that check it themselves: payloads as they lie in the log, void ones too.
#include <sodium.h>

#include "controller/api/routes/call.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::Verb;

constexpr std::size_t kPageBytes = 1u << 20;  // of payloads, about

std::string base64(std::string_view bytes) {
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // its NUL
  return text;
}

void send_page(const Services& services, const CallPtr& call, const Reply& reply, Offset from,
               std::size_t limit) {
  const auto page = services.context.read_raw_journal(from, limit, kPageBytes);
  if (!page.ok()) return reply(problem_reply(to_problem(page.error()), *call));
  if (from > page->end) {
    Errors errors;
    errors.add(
        "invalid-parameter", "?from",
        "offset " + std::to_string(from) + " is behind the end of the journal, " + std::to_string(page->end));
    return reply(problem_reply(std::move(errors).take(), *call));
  }
  json::array records;
  Offset next = from;
  for (const LogEntry& entry : page->entries) {
    const json::value payload = entry.gap ? json::value() : json::value(base64(entry.payload));
    records.push_back(json::object{{"offset", entry.offset}, {"payload", payload}});
    next = entry.offset + 1;
  }
  reply(json_reply(200, json::object{{"cluster_id", to_string(services.context.facts().cluster_id)},
                                     {"begin", page->begin},
                                     {"end", page->end},
                                     {"next", next},
                                     {"records", std::move(records)}}));
}

void journal(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const auto from = static_cast<Offset>(query.integer("from", 0, INT64_MAX).value_or(0));
  const auto limit = static_cast<std::size_t>(query.integer("limit", 1, 1000).value_or(100));
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  take_turn(services, call, reply, Turns::Work::kScan,
            [=] { send_page(services, call, reply, from, limit); });
}

}  // namespace

std::vector<Route> journal_routes() {
  return {{"GET", "/v1/journal", "readJournal", journal, {Noun::kJournal, Verb::kSee}}};
}

}  // namespace berth::controller::api
