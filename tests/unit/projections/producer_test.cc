// Producers in the fold: what no record may do to them.
#include <gtest/gtest.h>

#include "projections/producer_scope.h"
#include "tests/support/given.h"
#include "tests/support/producers.h"

namespace berth::testing {
namespace {

const std::string kToken(16, 't');

TEST(ProducerFold, IsARow) {
  Given g = given(definitions());
  g.when({web_producer()}).then_applied();
  EXPECT_EQ(g.state().producers.find("web")->def.generation(), 1u);
}

TEST(ProducerFold, AGenerationNeverFalls) {
  Given g = given(definitions() + Events{producer_defined("web", {}, {}, 3)});
  g.when({producer_defined("web", {}, {}, 3)}).then_applied();
  g.when({producer_defined("web", {}, {}, 4)}).then_applied();
  g.when({producer_defined("web", {}, {}, 2)}).then_forbidden("never falls");
}

TEST(ProducerFold, ForbidsWhatNoneMayBe) {
  given(definitions()).when({producer_defined("", {}, {})}).then_forbidden("without a name");
  given(definitions()).when({producer_defined("web", {}, {}, 0)}).then_forbidden("without a generation");
  given(definitions()).when({producer_defined("web", {"set_password"}, {})}).then_forbidden("of requests");
  given(definitions()).when({producer_defined("web", {}, {{"all", ""}})}).then_forbidden("scope of owners");
  given(definitions()).when({with_token(web_producer(), "short", 1)}).then_forbidden("16 bytes");
}

TEST(ProducerFold, ATokenIsSpentOnce) {
  Given g = given(definitions() + Events{with_token(web_producer(), kToken, kTestStart + kHour)});
  g.when({producer_key_collected("web", 2)}).then_forbidden("another generation").when_elected();
  g.when({producer_key_collected("web")}).then_applied();
  EXPECT_TRUE(g.state().producers.find("web")->def.token_hash().empty());
  g.when({producer_key_collected("web")}).then_forbidden("no open token").when_elected();
  g.when({producer_key_collected("other")}).then_forbidden("no such producer");
}

TEST(ProducerFold, ARemovedNameIsNeverGivenAgain) {
  Given g = given(definitions() + Events{web_producer()});
  g.when({definition_removed("producer", "web")}).then_applied();
  EXPECT_EQ(g.state().producers.size(), 0u);
  g.when({web_producer()}).then_forbidden("never given again").when_elected();
  g.when({definition_removed("producer", "web")}).then_forbidden("no producer is named");
}

TEST(ProducerScope, TheOwnerNamedByUserAloneIsInTheFirstProjectThatTheScopeHas) {
  v1::Event user = user_defined("alice");
  user.mutable_user_defined()->add_projects("labs");
  const Given g = given(definitions() + Events{project_defined("default", "labs"), user});
  const auto project = [&](const char* scope, const char* id) {
    const v1::Event web = producer_defined("web", {}, {{scope, id}});
    return projections::owner_in_scope(g.state(), web.producer_defined(), "alice");
  };
  EXPECT_EQ(project("user", "alice").project(), "default");
  EXPECT_EQ(project("project", "default/labs").project(), "labs");
  EXPECT_EQ(project("domain", "default").project(), "default");
  EXPECT_EQ(project("user", "bob").user(), "");
  EXPECT_EQ(project("project", "default/other").user(), "");
}

// Every kind that a producer can be given is one that the schema has.
TEST(ProducerScope, KindsAreNamesOfBodies) {
  for (const std::string_view name : projections::producer_requests())
    EXPECT_NE(v1::Request::descriptor()->FindFieldByName(std::string(name)), nullptr) << name;
}

}  // namespace
}  // namespace berth::testing
