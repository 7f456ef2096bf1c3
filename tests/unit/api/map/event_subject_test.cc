// Whose an event of a folder is: of whoever owns the folder, whether they asked for it or not.
#include "controller/api/map/event_subject.h"

#include <gtest/gtest.h>

#include "tests/support/folders.h"
#include "tests/support/given.h"

namespace berth::controller::api {
namespace {

using testing::operator+;

TEST(EventSubject, AnEventOfAFolderIsItsOwners) {
  testing::Given g =
      testing::given(testing::definitions() + testing::agent_of_volume("a1") + testing::ready_folder("data") +
                     testing::ready_folder("ours", testing::project_owner("default")));
  for (const v1::Event& event :
       {testing::folder_created("data"), testing::folder_ready("data"), testing::folder_failed("data"),
        testing::folder_renamed("data", "x"), testing::folder_trashed("data", 1),
        testing::folder_restored("data"), testing::folder_purging("data"), testing::folder_purged("data"),
        testing::folder_shared("data", "user", "bob")}) {
    EXPECT_EQ(subject_of(g.state(), event).user(), "alice") << event.ShortDebugString();
    EXPECT_EQ(subject_of(g.state(), event).domain(), "default");
  }
  EXPECT_EQ(subject_of(g.state(), testing::folder_ready("ours")).project(), "default");
}

// A new type fails here until somebody has decided whose it is: subject_of() holds it the cluster's, and so
// shows it to whoever sees every event alone.
TEST(EventSubject, WhoseEachTypeIsHasBeenDecided) {
  EXPECT_EQ(v1::Event::descriptor()->FindOneofByName("body")->field_count(), 81);
}

TEST(EventSubject, OfASelectionIsWhoseRequestItIs) {
  testing::Given g = testing::given(testing::definitions());
  const v1::Event begun = testing::answering(testing::termination_begun({"s1"}), "user:alice", "r");
  EXPECT_EQ(subject_of(g.state(), begun).user(), "alice");
}

TEST(EventSubject, OfAFolderThatIsGoneAndOfAVolumeIsNobodys) {
  testing::Given g = testing::given(testing::definitions() + testing::agent_of_volume("a1"));
  for (const v1::Event& event : {testing::folder_purged("gone"), testing::volume_agent_named("local", "a1"),
                                 testing::volume_forgotten("local")})
    EXPECT_EQ(subject_of(g.state(), event).ByteSizeLong(), 0u) << event.ShortDebugString();
}

}  // namespace
}  // namespace berth::controller::api
