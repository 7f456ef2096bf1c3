// Domains: /v1/domains.
#include "controller/api/identity/identity_json.h"
#include "controller/api/identity/named_reply.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/routes/page.h"
#include "controller/api/routes/remove.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::DomainRow;
using projections::Noun;
using projections::Verb;

// Null: the actor may not see the domain.
json::value shown_domain(const StateView& view, const projections::Actor& actor, const DomainRow& row) {
  v1::Owner subject;
  subject.set_domain(row.def.name());
  if (!may(actor, Noun::kDomain, Verb::kSee, subject)) return nullptr;
  return domain_to_json(view.state, row.def);
}

json::value shown_domain(const StateView& view, const Caller& caller, const std::string& name) {
  const DomainRow* row = view.state.domains.find(name);
  return row == nullptr ? nullptr : shown_domain(view, actor_of(view.state, caller), *row);
}

void list_domains(const Services& services, const CallPtr& call, const Reply& reply) {
  list_table(
      services, call, reply, "domains", &projections::State::domains,
      [](const ListView& list, const DomainRow& row) { return shown_domain(list.view, list.actor, row); });
}

void show_domain(const Services& services, const CallPtr& call, const Reply& reply) {
  show_and_reply(services, call, reply, "domain", call->path[0],
                 [&](const StateView& view) { return shown_domain(view, call->caller, call->path[0]); });
}

void put_domain(const Services& services, const CallPtr& call, const Reply& reply, bool create) {
  const Name name = std::make_shared<std::string>(create ? "" : call->path[0]);
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader in(body, "", errors);
    v1::PutDomain& put = *request.mutable_put_domain();
    put.set_create(create);
    if (create) {
      *name = in.text("name", kNameTextMax).value_or("");
      in.require("name", !name->empty());
    }
    put.set_name(*name);
    if (const auto shown_name = in.text("display_name", kDisplayTextMax)) put.set_display_name(*shown_name);
    in.finish();
  };
  put_and_reply(services, call, reply, fill, "domain", create ? 201 : 200,
                [name, call](const StateView& view) { return shown_domain(view, call->caller, *name); });
}

void create_domain(const Services& services, const CallPtr& call, const Reply& reply) {
  put_domain(services, call, reply, true);
}

void change_domain(const Services& services, const CallPtr& call, const Reply& reply) {
  put_domain(services, call, reply, false);
}

void remove_domain(const Services& services, const CallPtr& call, const Reply& reply) {
  remove_and_reply(services, call, reply, v1::DEFINITION_KIND_DOMAIN, call->path[0], SessionsOf::kMany);
}

}  // namespace

std::vector<Route> domain_routes() {
  constexpr const char* kOne = "/v1/domains/{domain}";
  const Route::Need see{Noun::kDomain, Verb::kSee}, create{Noun::kDomain, Verb::kCreate},
      change{Noun::kDomain, Verb::kChange};
  const Route::Traits asks_put_domain{.producers = v1::Request::kPutDomain};
  return {{"GET", "/v1/domains", "listDomains", list_domains, see, {.past = Route::kPast}},
          {"POST", "/v1/domains", "createDomain", create_domain, create, asks_put_domain},
          {"GET", kOne, "getDomain", show_domain, see, {.past = Route::kPast}},
          {"PATCH", kOne, "changeDomain", change_domain, change, asks_put_domain},
          {"DELETE", kOne, "deleteDomain", remove_domain, {Noun::kDomain, Verb::kEnd}}};
}

}  // namespace berth::controller::api
