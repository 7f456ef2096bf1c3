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

bool sees_domain(const projections::Actor& actor, const DomainRow& row) {
  v1::Owner subject;
  subject.set_domain(row.def.name());
  return may(actor, Noun::kDomain, Verb::kSee, subject);
}

json::value shown_domain(const StateView& view, const Caller& caller, const std::string& name) {
  const DomainRow* row = view.state.domains.find(name);
  if (row == nullptr || !sees_domain(actor_of(view.state, caller), *row)) return nullptr;
  return domain_to_json(view.state, row->def);
}

void list_domains(const Services& services, const CallPtr& call, const Reply& reply) {
  list_table(
      services, call, reply, "domains", &projections::State::domains,
      [&](const StateView& view, const SlotKinds&, const DomainRow& row) -> std::optional<json::value> {
        if (!sees_domain(actor_of(view.state, call->caller), row)) return std::nullopt;
        return domain_to_json(view.state, row.def);
      });
}

void show_domain(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    const json::value domain = shown_domain(view, call->caller, call->path[0]);
    out = domain.is_null() ? problem_reply(make_problem("unknown-domain",
                                                        "no domain is named '" + clipped(call->path[0]) + "'",
                                                        "berth domain ls lists them"),
                                           *call)
                           : json_reply(view, domain);
  });
  reply(std::move(out));
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
  remove_and_reply(services, call, reply, "domain", call->path[0]);
}

}  // namespace

std::vector<Route> domain_routes() {
  constexpr const char* kOne = "/v1/domains/{domain}";
  return {{"GET", "/v1/domains", "listDomains", Route::kAnybody, list_domains, {{Noun::kDomain, Verb::kSee}}},
          {"POST",
           "/v1/domains",
           "createDomain",
           Route::kAnybody,
           create_domain,
           {{Noun::kDomain, Verb::kCreate}}},
          {"GET", kOne, "getDomain", Route::kAnybody, show_domain, {{Noun::kDomain, Verb::kSee}}},
          {"PATCH", kOne, "changeDomain", Route::kAnybody, change_domain, {{Noun::kDomain, Verb::kChange}}},
          {"DELETE", kOne, "deleteDomain", Route::kAnybody, remove_domain, {{Noun::kDomain, Verb::kEnd}}}};
}

}  // namespace berth::controller::api
