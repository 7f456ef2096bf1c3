// Images that are being built: how far stands in the image's row, until the image is registered.
#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

const projections::ImageRow& image(const Given& g, const char* reference) {
  return *g.state().images.find(reference);
}

TEST(ImageBuildChanged, MakesAnImageKnownThatHasNoSourceYet) {
  Given g = given(definitions() + Events{image_building("jupyter:4.6", 43, "packages")});
  const auto& row = image(g, "jupyter:4.6");
  EXPECT_FALSE(row.is_usable());
  EXPECT_EQ(row.def.source(), "");
  EXPECT_EQ(row.build->percent(), 43u);
  g.when({session_requested("s1", Spec().image("jupyter:4.6"))}).then_applied();
}

TEST(ImageBuildChanged, TheRegistrationEndsTheBuilding) {
  for (const v1::Event& last :
       {image_building("jupyter:4.6", 100), image_build_failed("jupyter:4.6", "no room")}) {
    Given g = given(definitions() + Events{last, image_stored("jupyter:4.6")});
    EXPECT_TRUE(image(g, "jupyter:4.6").is_usable());
    EXPECT_FALSE(image(g, "jupyter:4.6").build);
  }
}

TEST(ImageBuildChanged, AnImageThatIsBuiltAnewStaysUsable) {
  Given g = given(definitions() + Events{image_stored("jupyter:4.6"), image_building("jupyter:4.6", 1)});
  EXPECT_TRUE(image(g, "jupyter:4.6").is_usable());
  EXPECT_EQ(image(g, "jupyter:4.6").def.source(), "oci:/images:jupyter:4.6");
  g.when({image_build_failed("jupyter:4.6", "no room")}).then_applied();
  EXPECT_TRUE(image(g, "jupyter:4.6").is_usable());
  EXPECT_EQ(image(g, "jupyter:4.6").build->message(), "no room");
}

TEST(ImageBuildChanged, KeepsWhenItLastSaidSomethingNew) {
  Given g = given(definitions() + Events{image_building("jupyter:4.6", 1)});
  const Timestamp first = image(g, "jupyter:4.6").build_moved_at;
  EXPECT_GT(first, 0);
  g.and_given({image_building("jupyter:4.6", 1)});
  EXPECT_EQ(image(g, "jupyter:4.6").build_moved_at, first);
  g.and_given({image_building("jupyter:4.6", 1, "packages")});
  EXPECT_GT(image(g, "jupyter:4.6").build_moved_at, first);
}

TEST(ImageBuildChanged, AnswersItsRequest) {
  Given g = given(definitions());
  g.when({answering(image_building("jupyter:4.6", 1), "user:alice", "r1")}).then_applied();
  EXPECT_NE(g.request("user:alice", "r1"), nullptr);
}

TEST(ImageBuildChanged, IsOfAnImageWhoseNameIsNotRetiredAndInRange) {
  Given g = given(definitions() + Events{image_stored("old:1"), definition_removed("image", "old:1")});
  g.when({image_building("old:1", 1)}).then_forbidden("never given again").when_elected();
  g.when({image_building("", 1)}).then_forbidden("no image").when_elected();
  g.when({image_building("new:1", 101)}).then_forbidden("out of range").when_elected();
}

TEST(ImageBuildChanged, OneThatNobodyWaitsForIsRemovedWithItsBuild) {
  Given g = given(definitions() + Events{image_building("jupyter:4.6", 1),
                                         session_requested("s1", Spec().image("jupyter:4.6"))});
  g.when({definition_removed("image", "jupyter:4.6")}).then_forbidden("uses").when_elected();
  g.when({session_cancelled("s1"), definition_removed("image", "jupyter:4.6")}).then_applied();
  EXPECT_EQ(g.state().images.find("jupyter:4.6"), nullptr);
}

}  // namespace
}  // namespace berth::testing
