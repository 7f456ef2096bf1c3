// Who may say how far an image is being built, what may be said, and when another builder takes over.
#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

constexpr const char* kImage = "jupyter:4.6";

std::string answer_to(Case& c, const v1::Request& r) {
  c.when(r);
  return word_of(c.decided().at(0).request_refused().code());
}

std::string answer_to(const v1::Request& r) {
  Case c = given(world());
  return answer_to(c, r);
}

v1::Event by(const std::string& builder, v1::Event event) {
  event.mutable_image_build_changed()->set_builder(builder);
  return event;
}

TEST(RecordImageBuild, EachStepIsAnEvent) {
  given(world())
      .when(record_image_build(image_building(kImage, 0, "base"), "up"))
      .then({by("up", image_building(kImage, 0, "base"))})
      .when(record_image_build(image_building(kImage, 43, "packages"), "up"))
      .then({by("up", image_building(kImage, 43, "packages"))})
      .when(record_image_build(image_build_failed(kImage, "no room"), "up"))
      .then({by("up", image_build_failed(kImage, "no room"))});
}

TEST(RecordImageBuild, IsASuperadminsAlone) {
  for (const char* role : {"superadmin", "domain-admin", "monitor", "user"}) {
    Case c = given(world() + Events{user_with_role("zoe", role)});
    EXPECT_EQ(answer_to(c, sent_by(record_image_build(image_building(kImage, 1)), "zoe")),
              std::string(role) == "superadmin" ? "" : "denied")
        << role;
  }
}

TEST(RecordImageBuild, RefusesWhatIsOutOfBounds) {
  for (const v1::Event& event :
       {image_building("", 1), image_building(std::string(257, 'i'), 1), image_building("a\nb", 1),
        image_building(kImage, 101), image_building(kImage, 1, std::string(201, 's')),
        image_building(kImage, 1, "a\x1b[2J"), image_build_failed(kImage, ""),
        image_build_failed(kImage, std::string(1025, 'm')), image_build_failed(kImage, "a\nb")})
    EXPECT_EQ(answer_to(record_image_build(event)), "invalid-value") << describe(event);
  EXPECT_EQ(answer_to(record_image_build(image_building(kImage, 1), std::string(65, 'b'))), "invalid-value");
  v1::Request why = record_image_build(image_building(kImage, 1));
  why.mutable_record_image_build()->mutable_build()->set_message("though it goes on");
  EXPECT_EQ(answer_to(why), "invalid-value");
  for (const v1::Event& event : {image_building(kImage, 100, std::string(200, 's')),
                                 image_build_failed(kImage, std::string(1024, 'm'))})
    EXPECT_EQ(answer_to(record_image_build(event, std::string(64, 'b'))), "");
}

TEST(RecordImageBuild, ARemovedImageIsNotBuiltAgain) {
  Case c = given(world() + Events{image_stored("old:1"), definition_removed("image", "old:1")});
  EXPECT_EQ(answer_to(c, record_image_build(image_building("old:1", 1))), "name-retired");
}

TEST(RecordImageBuild, ASecondBuilderWaitsUntilTheFirstWasSilentForHalfAnHour) {
  Case c = given(world() + Events{by("one", image_building(kImage, 43))});
  c.after(29 * kMinute);
  EXPECT_EQ(answer_to(c, record_image_build(image_building(kImage, 50), "two")), "image-being-built");
  c.after(2 * kMinute);
  EXPECT_EQ(answer_to(c, record_image_build(image_building(kImage, 0), "two")), "");
  EXPECT_EQ(answer_to(c, record_image_build(image_building(kImage, 60), "one")), "image-being-built");
}

TEST(RecordImageBuild, WhoRepeatsThemselvesIsAsGoodAsSilent) {
  Case c = given(world() + Events{by("one", image_building(kImage, 43))});
  c.after(20 * kMinute);
  EXPECT_EQ(answer_to(c, record_image_build(image_building(kImage, 43), "one")), "");
  c.after(11 * kMinute);
  EXPECT_EQ(answer_to(c, record_image_build(image_building(kImage, 0), "two")), "");
}

TEST(RecordImageBuild, ANewStepIsNews) {
  Case c = given(world() + Events{by("one", image_building(kImage, 43))});
  c.after(20 * kMinute);
  EXPECT_EQ(answer_to(c, record_image_build(image_building(kImage, 43, "packages"), "one")), "");
  c.after(11 * kMinute);
  EXPECT_EQ(answer_to(c, record_image_build(image_building(kImage, 0), "two")), "image-being-built");
}

TEST(RecordImageBuild, BuildersWithoutANameAreToldApartByThePercentThatFalls) {
  Case c = given(world() + Events{image_building(kImage, 43)});
  EXPECT_EQ(answer_to(c, record_image_build(image_building(kImage, 43))), "");
  EXPECT_EQ(answer_to(c, record_image_build(image_building(kImage, 0))), "image-being-built");
  EXPECT_EQ(answer_to(c, record_image_build(image_building(kImage, 60))), "");
}

TEST(RecordImageBuild, ANamedBuilderMayBeginAnew) {
  Case c = given(world() + Events{by("one", image_building(kImage, 43))});
  EXPECT_EQ(answer_to(c, record_image_build(image_building(kImage, 0), "one")), "");
}

TEST(RecordImageBuild, AfterAFailureAnybodyBuilds) {
  Case c = given(world() + Events{by("one", image_building(kImage, 43))});
  EXPECT_EQ(answer_to(c, record_image_build(image_build_failed(kImage, "mine"), "two")), "image-being-built");
  EXPECT_EQ(answer_to(c, record_image_build(image_build_failed(kImage, "ended by an operator"))), "");
  EXPECT_EQ(answer_to(c, record_image_build(image_building(kImage, 0), "two")), "");
}

TEST(RecordImageBuild, ASessionMayAskForAnImageThatIsBeingBuilt) {
  Spec early = Spec().image(kImage);
  early.proto().clear_architecture();
  Case c = given(world() + Events{image_building(kImage, 43)});
  c.when(request_session("s1", early)).then({session_requested("s1", early)});
  c.when(remove("image", kImage)).then_refused("in-use");
  c.and_given({image_build_failed(kImage, "no room")});
  c.when(request_session("s2", early)).then({session_requested("s2", early)});
  c.when(request_session("s3", Spec().image("other:1"))).then_refused("unknown-image");
}

TEST(RecordImageBuild, WhatNobodyWaitsForIsRemovedWithItsBuild) {
  given(world() + Events{image_building(kImage, 43)})
      .when(remove("image", kImage))
      .then({definition_removed("image", kImage)});
}

}  // namespace
}  // namespace berth::testing::decisions
