// at= on every route that has a past, and the difference between two moments.
#include <gtest/gtest.h>

#include "controller/api/map/time_text.h"
#include "controller/api/past/moment.h"
#include "controller/api/past/past_views.h"
#include "tests/support/spec.h"
#include "tests/unit/api/support/api_rig.h"
#include "tests/unit/api/support/openapi_schema.h"

namespace berth::testing {
namespace {

namespace json = boost::json;

std::string at(Offset position) { return "at=" + std::to_string(position); }

// A path of the route, with something in its holes.
std::string path_of(const api::Route& route) {
  std::string path;
  for (const char* c = route.pattern; *c != 0; ++c) {
    if (*c != '{') {
      path += *c;
      continue;
    }
    path += "x";
    while (*c != '}') ++c;
  }
  return path;
}

TEST(Past, EveryRouteThatIsMarkedTakesAMomentAndAllOthersRefuseItByName) {
  ApiRig rig;
  int marked = 0;
  for (const api::Route& route : rig.api.route_table().routes()) {
    if (route.askers.access != api::Route::kAnybody || route.traits.streams_body) continue;
    std::string method = route.method;
    for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
    const auto& described = openapi_document().at("paths").at(route.pattern).at(method);
    const bool has = described.as_object().contains("x-berth-past");
    EXPECT_EQ(has, route.traits.past != api::Route::kNoPast) << route.operation;
    const auto reply = rig.ask({.method = route.method, .target = path_of(route) + "?at=3"});
    if (!has) {
      EXPECT_EQ(ApiRig::code_of(reply), "no-past") << route.operation;
      EXPECT_NE(reply.body.find(route.operation), std::string::npos);
      continue;
    }
    ++marked;
    EXPECT_NE(ApiRig::code_of(reply), "no-past") << route.operation;
    EXPECT_EQ(reply.body.find("unknown-parameter"), std::string::npos) << route.operation << reply.body;
    EXPECT_TRUE(reply.status != 200 || ApiRig::header_of(reply, "Berth-At").starts_with("3-0 "))
        << route.operation;
    // It is the handler's own answer, and not one about the moment.
    EXPECT_EQ(ApiRig::code_of(rig.ask({.method = "GET", .target = path_of(route) + "?at=99999"})),
              "future-moment");
  }
  EXPECT_GE(marked, 25);
}

struct OneEnd {
  ApiRig rig;
  Offset before = 0, after = 0;
  OneEnd() {
    rig.cell.append({session_requested("demo")});
    rig.cell.append({session_scheduled("demo", "a1")});
    rig.cell.append({kernel_preparing(kernel_name("demo")), kernel_running(kernel_name("demo"))});
    before = rig.cell.position();
    rig.cell.append({session_terminating("demo")});
    rig.cell.append({kernel_terminated(kernel_name("demo"), v1::EXITED)});
    after = rig.cell.position();
  }
};

TEST(Past, ASessionIsShownAsItWas) {
  OneEnd one;
  EXPECT_EQ(one.rig.get("/v1/sessions/demo").at("status").as_string(), "TERMINATED");
  const auto then = one.rig.get("/v1/sessions/demo?" + at(one.before));
  EXPECT_EQ(then.at("status").as_string(), "RUNNING");
  EXPECT_EQ(then.at("at").at("position").as_string(), std::to_string(one.before) + "-0");
  EXPECT_EQ(one.rig.get("/v1/sessions?" + at(one.before)).at("sessions").as_array().size(), 1u);
  EXPECT_EQ(one.rig.get("/v1/sessions").at("sessions").as_array().size(), 0u);
  EXPECT_EQ(one.rig.code("/v1/sessions/demo?at=2"), "unknown-session");
  const std::string time(then.at("at").at("time").as_string());
  EXPECT_EQ(one.rig.get("/v1/sessions/demo?at=" + time).at("status").as_string(), "RUNNING");
}

TEST(Past, RefusesMomentsThatAreNone) {
  OneEnd one;
  for (const char* text : {"yesterday", "-5", "5-", "5-0-0", "2023-11-14T22:13:20", "99999999999999999999999",
                           "5-4294967297", "1969-12-31T00:00:00Z", "2263-01-01T00:00:00Z", ""})
    EXPECT_EQ(one.rig.code("/v1/agents?at=" + std::string(text)), "invalid-moment") << text;
  EXPECT_NE(one.rig.ask({.target = "/v1/agents?at=2023-11-14T22:13:20"}).body.find("has no zone"),
            std::string::npos);
  EXPECT_NE(one.rig.ask({.target = "/v1/agents?at=1969-12-31T00:00:00Z"}).body.find("of no year from 1970"),
            std::string::npos);
  EXPECT_EQ(one.rig.code("/v1/agents?at=2100-01-01T00:00:00Z"), "future-moment");
  const auto gone = one.rig.ask({.target = "/v1/agents?at=2000-01-01T00:00:00Z"});
  EXPECT_EQ(gone.status, 410u);
  EXPECT_EQ(ApiRig::code_of(gone), "before-the-log");
}

TEST(Past, AFullQueueAsksToComeAgain) {
  OneEnd one;
  one.rig.cell.on_past = [] { return std::optional(make_error("past-busy", "too many moments")); };
  const auto reply = one.rig.ask({.target = "/v1/agents?at=3"});
  EXPECT_EQ(reply.status, 503u);
  EXPECT_FALSE(ApiRig::header_of(reply, "Retry-After").empty());
}

TEST(Past, ItIsAnsweredByTheRightsOfNow) {
  OneEnd one;
  EXPECT_EQ(one.rig.get("/v1/sessions/demo?" + at(one.before), "alice-key").at("status").as_string(),
            "RUNNING");
  EXPECT_EQ(one.rig.code("/v1/sessions/demo?" + at(one.before), "bob-key"), "unknown-session");
  one.rig.cell.append({user_with_role("bob", "superadmin")});
  EXPECT_EQ(one.rig.get("/v1/sessions/demo?" + at(one.before), "bob-key").at("status").as_string(),
            "RUNNING");
  one.rig.cell.append({user_with_role("bob", "user")});
  EXPECT_EQ(one.rig.code("/v1/sessions/demo?" + at(one.rig.cell.position() - 1), "bob-key"),
            "unknown-session")
      << "who was a superadmin then sees no more than now";
}

TEST(Past, AShareOfThenOpensNothingOnceItIsWithdrawn) {
  OneEnd one;
  one.rig.cell.append({session_requested("lent"), session_shared("lent", "user", "bob")});
  const Offset shared = one.rig.cell.position();
  EXPECT_EQ(one.rig.code("/v1/sessions/lent?" + at(shared), "bob-key"), "");
  one.rig.cell.append({session_shared("lent", "user", "bob", true)});
  EXPECT_EQ(one.rig.code("/v1/sessions/lent?" + at(shared), "bob-key"), "unknown-session");
  EXPECT_EQ(one.rig.code("/v1/sessions/lent/why?" + at(shared), "bob-key"), "unknown-session");
  EXPECT_TRUE(one.rig.get("/v1/sessions?" + at(shared), "bob-key").at("sessions").as_array().empty());
  const auto diff = one.rig.get("/v1/diff?from=" + std::to_string(shared - 1), "bob-key");
  for (const auto& change : diff.at("changes").as_array())
    EXPECT_NE(change.at("noun").as_string(), "session");
}

TEST(Past, HowPeopleSignedInIsForSuperadmins) {
  OneEnd one;
  for (const char* path : {"/v1/keys", "/v1/browser-sessions"}) {
    EXPECT_EQ(one.rig.code(path + ("?" + at(one.before)), "alice-key"), "denied");
    EXPECT_EQ(one.rig.code(path + ("?" + at(one.before))), "");
    EXPECT_EQ(one.rig.code(path, "alice-key"), "");
  }
}

TEST(Past, ProducersOfThenAreForSuperadmins) {
  OneEnd one;
  one.rig.cell.append({user_with_role("bob", "monitor")});
  for (const char* path : {"/v1/producers", "/v1/producers/web"})
    EXPECT_EQ(one.rig.code(path + ("?" + at(one.before)), "bob-key"), "denied") << path;
  EXPECT_EQ(one.rig.code("/v1/producers?" + at(one.before)), "");
  EXPECT_EQ(one.rig.code("/v1/producers/web?" + at(one.before)), "unknown-producer") << "there was none then";
}

TEST(Past, APageTokenKeepsItsMoment) {
  OneEnd one;
  one.rig.cell.append({session_requested("more")});
  const Offset then = one.rig.cell.position();
  one.rig.cell.append({session_requested("third")});
  const auto first = one.rig.get("/v1/images?limit=1&" + at(then));
  EXPECT_EQ(first.at("images").as_array().size(), 1u);
  const Offset end = one.rig.cell.position();
  one.rig.cell.append({session_cancelled("more"), session_cancelled("third"), session_requested("a"),
                       session_requested("b")});
  const auto page = one.rig.get("/v1/sessions?limit=1&" + at(end));
  const std::string token(page.at("next_page_token").as_string());
  const auto next = one.rig.get("/v1/sessions?page_token=" + token);
  ASSERT_EQ(next.at("sessions").as_array().size(), 1u);
  EXPECT_EQ(next.at("sessions").at(0).at("name").as_string(), "third");
  EXPECT_EQ(next.at("at").at("position"), page.at("at").at("position"));
  EXPECT_EQ(one.rig.code("/v1/sessions?page_token=" + token + "&at=3"), "invalid-page-token");
  EXPECT_EQ(one.rig.code("/v1/sessions?page_token=at:x/1.1.1"), "invalid-page-token");
}

TEST(Past, SessionsThatHadLeftTheStateAreThoseOfThen) {
  OneEnd one;
  EXPECT_EQ(one.rig.get("/v1/sessions?state=TERMINATED&" + at(one.before)).at("sessions").as_array().size(),
            0u);
  EXPECT_EQ(one.rig.get("/v1/sessions?state=TERMINATED&" + at(one.after)).at("sessions").as_array().size(),
            1u);
}

TEST(Past, ItsBoundsAreTold) {
  OneEnd one;
  const auto bounds = one.rig.get("/v1/past", "alice-key");
  EXPECT_EQ(bounds.at("first").at("position").as_string(), "0-0");
  EXPECT_EQ(bounds.at("last").at("position").as_string(), std::to_string(one.after) + "-0");
}

std::string diff_target(Offset from, Offset to) {
  return "/v1/diff?from=" + std::to_string(from) + "&to=" + std::to_string(to);
}

TEST(Diff, ShowsRowsBeforeAndAfterWithTheEventsBetween) {
  OneEnd one;
  const auto diff = one.rig.get(diff_target(one.before, one.after));
  const json::value* session = nullptr;
  for (const auto& change : diff.at("changes").as_array())
    if (change.at("noun").as_string() == "session") session = &change;
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->at("name").as_string(), "demo");
  EXPECT_EQ(session->at("before").at("status").as_string(), "RUNNING");
  EXPECT_EQ(session->at("after").at("status").as_string(), "TERMINATED");
  const auto& events = session->at("events").as_array();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].at("type").as_string(), "SessionTerminating");
  EXPECT_EQ(events[1].at("type").as_string(), "KernelTerminated");
  EXPECT_EQ(events[1].at("position").as_string(), std::to_string(one.after) + "-0");
  EXPECT_FALSE(events[0].at("line").as_string().empty());
}

TEST(Diff, WhatNobodyMaySeeIsLeftOut) {
  OneEnd one;
  const auto diff = one.rig.get(diff_target(0, one.after), "bob-key");
  for (const auto& change : diff.at("changes").as_array()) {
    EXPECT_NE(change.at("noun").as_string(), "session");
    EXPECT_NE(change.at("noun").as_string(), "key");
  }
}

TEST(Diff, HasPages) {
  OneEnd one;
  const auto all = one.rig.get(diff_target(0, one.after) + "&limit=1000").at("changes").as_array();
  ASSERT_GT(all.size(), 3u);
  json::array found;
  std::string page;
  do {
    const auto part = one.rig.get(diff_target(0, one.after) + "&limit=2" + page);
    for (const auto& change : part.at("changes").as_array()) found.push_back(change);
    page = part.at("next").is_null() ? "" : "&page=" + std::string(part.at("next").as_string());
  } while (!page.empty());
  EXPECT_EQ(found, all);
  const auto users = one.rig.get(diff_target(0, one.after) + "&noun=user").at("changes").as_array();
  ASSERT_FALSE(users.empty());
  for (const auto& change : users) EXPECT_EQ(change.at("noun").as_string(), "user");
}

// Without to= the first page says until when, and the others go on with that.
TEST(Diff, PagesAreOfOneDifferenceWhateverHappensMeanwhile) {
  OneEnd one;
  const auto first = one.rig.get("/v1/diff?from=0&limit=2");
  one.rig.cell.append({session_requested("a-new-one")});
  json::array found = first.at("changes").as_array();
  for (json::value next = first.at("next"); !next.is_null();) {
    const auto part = one.rig.get("/v1/diff?from=0&limit=2&page=" + std::string(next.as_string()));
    EXPECT_EQ(part.at("to"), first.at("to"));
    for (const auto& change : part.at("changes").as_array()) found.push_back(change);
    next = part.at("next");
  }
  EXPECT_EQ(found, one.rig.get(diff_target(0, one.after) + "&limit=1000").at("changes").as_array());
  for (const char* page : {"7", "0.x.1", "0.5.1x", "1.2"})
    EXPECT_EQ(one.rig.code("/v1/diff?from=0&page=" + std::string(page)), "invalid-page-token") << page;
}

TEST(Diff, RefusesEndsThatMakeNone) {
  OneEnd one;
  EXPECT_EQ(one.rig.code(diff_target(one.after, one.before)), "swapped-ends");
  EXPECT_EQ(one.rig.code("/v1/diff"), "missing-parameter");
  EXPECT_EQ(one.rig.code("/v1/diff?from=3&to=x"), "invalid-moment");
  EXPECT_EQ(one.rig.code(diff_target(3, 99999)), "future-moment");
  EXPECT_EQ(one.rig.code("/v1/diff?from=3&noun=cat"), "invalid-parameter");
  const auto none = one.rig.get(diff_target(one.before, one.before));
  EXPECT_TRUE(none.at("changes").as_array().empty());
}

TEST(PastViews, AreMadeOncePerStateAndGoWithIt) {
  api::PastViews views;
  const auto one = std::make_shared<projections::PastState>(),
             other = std::make_shared<projections::PastState>();
  const auto view = views.of(one);
  EXPECT_EQ(views.of(one), view);
  EXPECT_NE(views.of(other), view);
  auto gone = std::make_shared<projections::PastState>();
  const std::weak_ptr<api::PastView> of_gone = views.of(gone);
  gone.reset();
  views.of(one);
  EXPECT_TRUE(of_gone.expired());
}

}  // namespace
}  // namespace berth::testing
