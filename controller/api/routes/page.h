// A page of a table in key order. Every list takes `limit` and `page_token`; the token is the last key of the
// page before.
#pragma once

#include <string>
#include <utility>

#include "controller/api/past/past_call.h"
#include "controller/api/routes/call.h"

namespace berth::controller::api {

struct Page {
  std::size_t limit = 100;
  std::string after;
};

inline Page read_page(Query& query) {
  Page page;
  page.limit = static_cast<std::size_t>(query.integer("limit", 1, 1000).value_or(100));
  page.after = query.text("page_token").value_or("");
  return page;
}

// `show(row)` returns the row's JSON, or null for a row that is not listed.
template <class Table, class Show>
HttpReply page_reply(const StateView& view, const Page& page, const char* name, const Table& table,
                     Show show) {
  boost::json::array items;
  boost::json::value next;
  std::string last;
  for (const std::string& key : table.sorted_keys()) {
    if (key <= page.after) continue;
    boost::json::value item = show(*table.find(key));
    if (item.is_null()) continue;
    if (items.size() == page.limit) {
      next = page_token_of(view, last);
      break;
    }
    items.push_back(std::move(item));
    last = key;
  }
  return json_reply(
      view, boost::json::object{
                {name, std::move(items)}, {"next_page_token", next}, {"position", position_or_null(view)}});
}

// By what the rows of a list are shown.
struct ListView {
  const StateView& view;
  const SlotKinds& kinds;
  const projections::Actor& actor;
};

// GET of a list with no parameters but the page. `show(list, row)` returns the row's JSON; null: it is not
// listed.
template <class Row, class Show>
void list_table(const Services& services, const CallPtr& call, const Reply& reply, const char* name,
                projections::Table<Row> projections::StateRows::*table, Show show) {
  Errors errors;
  Query query(call->target, errors);
  const Page page = read_page(query);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    const SlotKinds kinds(view.state);
    const projections::Actor actor = actor_of(view.state, call->caller);
    const ListView list{view, kinds, actor};
    out = page_reply(view, page, name, view.state.*table, [&](const Row& row) { return show(list, row); });
  });
  reply(std::move(out));
}

}  // namespace berth::controller::api
