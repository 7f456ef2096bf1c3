// One human line per event (events/codec/describe.h).
#include <gtest/gtest.h>

#include "events/base/uuid.h"
#include "events/codec/describe.h"
#include "tests/support/record_codes.h"

namespace berth {
namespace {

const std::string kSession(16, '\x11');
const std::string kKernel(16, '\x22');

v1::Event requested(const std::string& name, std::uint32_t number = 1, std::uint32_t count = 1) {
  v1::Event event;
  auto& e = *event.mutable_session_requested();
  e.set_session_id(kSession);
  e.set_name(name);
  e.set_number(number);
  e.set_count(count);
  e.mutable_owner()->set_user("admin");
  e.mutable_spec()->set_type(v1::INTERACTIVE);
  e.mutable_spec()->set_image("python:3.11");
  e.mutable_spec()->set_group("default");
  auto& role = *e.mutable_spec()->add_roles();
  role.set_role("main");
  role.set_count(1);
  for (const auto& [slot, amount] :
       {std::pair{"cpu", 500'000L}, {"cuda.shares", 1'000'000L}, {"mem", 268'435'456L}}) {
    auto& added = *role.add_slots();
    added.set_slot(slot);
    added.set_amount(amount);
  }
  return event;
}

v1::Event scheduled() {
  v1::Event event;
  auto& e = *event.mutable_session_scheduled();
  e.set_session_id(kSession);
  e.set_attempt(1);
  auto& placement = *e.add_placements();
  placement.set_kernel_id(kKernel);
  placement.set_role("main");
  placement.set_index(1);
  placement.set_agent("a1");
  auto& share = *placement.add_devices();
  share.set_device("gpu0");
  share.set_slot("cuda.shares");
  share.set_amount(1'000'000);
  return event;
}

v1::Event terminated() {
  v1::Event event;
  auto& e = *event.mutable_kernel_terminated();
  e.set_kernel_id(kKernel);
  e.set_attempt(1);
  e.set_end(v1::EXITED);
  e.set_exit_code(3);
  e.set_started_ns(1'000'000'000);
  e.set_ended_ns(13'390'000'000);
  return event;
}

TEST(Describe, ShowsWhoAskedForWhat) {
  EXPECT_EQ(describe(requested("demo-2", 2, 3)),
            "SessionRequested demo-2 (2 of 3) by admin: interactive python:3.11; main cpu 0.5, cuda.shares "
            "1, mem 256m; "
            "group default");
}

TEST(Describe, ShowsAPlacementWithItsDevicesAndTheSessionsName) {
  NameBook names;
  names.learn(requested("demo-1"));
  EXPECT_EQ(describe(scheduled(), names),
            "SessionScheduled demo-1 attempt 1: main1 on a1 (gpu0 cuda.shares 1)");
}

TEST(Describe, ShowsTheBeginningOfAnIdThatHasNoNameYet) {
  EXPECT_EQ(describe(scheduled()), "SessionScheduled 11111111 attempt 1: main1 on a1 (gpu0 cuda.shares 1)");
}

TEST(Describe, ShowsWhoMakesRoomForWhom) {
  NameBook names;
  names.learn(requested("low"));
  v1::Event high = requested("high");
  high.mutable_session_requested()->set_session_id(std::string(16, '\x33'));
  names.learn(high);
  v1::Event ends, goes_back, held, given_up;
  ends.mutable_session_terminating()->set_session_id(kSession);
  ends.mutable_session_terminating()->set_reason(record_code("preempted"));
  ends.mutable_session_terminating()->set_preemptor(std::string(16, '\x33'));
  EXPECT_EQ(describe(ends, names), "SessionTerminating low: preempted for high");
  goes_back.mutable_session_requeued()->set_session_id(kSession);
  goes_back.mutable_session_requeued()->set_reason(record_code("preempted"));
  goes_back.mutable_session_requeued()->set_preemptor(std::string(16, '\x33'));
  EXPECT_EQ(describe(goes_back, names), "SessionRequeued low after 0 failed starts: preempted for high");
  held.mutable_session_reserved()->set_session_id(std::string(16, '\x33'));
  *held.mutable_session_reserved()->mutable_placements() = scheduled().session_scheduled().placements();
  EXPECT_EQ(describe(held, names), "SessionReserved high has held for it: main1 on a1 (gpu0 cuda.shares 1)");
  given_up.mutable_session_unreserved()->set_session_id(std::string(16, '\x33'));
  EXPECT_EQ(describe(given_up, names), "SessionUnreserved high waits again: its place will not come free");
}

TEST(Describe, NamesAKernelByItsSessionAndHost) {
  NameBook names;
  names.learn(requested("demo-1"));
  names.learn(scheduled());
  EXPECT_EQ(describe(terminated(), names), "KernelTerminated demo-1/main1 attempt 1: exited 3, ran 12.3 s");
}

TEST(Describe, SaysWhoOpenedAKernelAndHow) {
  NameBook names;
  names.learn(requested("demo-1"));
  names.learn(scheduled());
  v1::Event event;
  auto& e = *event.mutable_kernel_opened();
  e.set_session_id(kSession);
  e.set_kernel_id(kKernel);
  e.set_kind(v1::WAY_KIND_EXEC);
  e.set_user("admin");
  EXPECT_EQ(describe(event, names), "KernelOpened demo-1/main1: exec by admin");
  e.set_kind(v1::WAY_KIND_SHELL);
  e.set_name("main");
  EXPECT_EQ(describe(event, names), "KernelOpened demo-1/main1: shell main by admin");
}

TEST(Describe, SaysWhoseAFolderIsAndWhatBecomesOfIt) {
  const std::string folder("\x01\x02\x03\x04 twelve bytes"), volume("\x0a\x0b\x0c\x0d twelve bytes");
  v1::Event made, failed, shared, named, session;
  auto& created = *made.mutable_folder_created();
  created.set_folder(folder);
  created.set_name("data");
  created.mutable_owner()->set_domain("default");
  created.mutable_owner()->set_user("alice");
  created.set_volume(volume);
  EXPECT_EQ(describe(made), "FolderCreated data (01020304) of alice on volume 0a0b0c0d");
  created.mutable_owner()->clear_user();
  created.mutable_owner()->set_project("labs");
  EXPECT_EQ(describe(made), "FolderCreated data (01020304) of project default/labs on volume 0a0b0c0d");
  failed.mutable_folder_failed()->set_folder(folder);
  failed.mutable_folder_failed()->set_code(record_code("disk-full"));
  EXPECT_EQ(describe(failed), "FolderFailed 01020304: disk-full");
  failed.mutable_folder_failed()->set_message("the disk is full");
  EXPECT_EQ(describe(failed), "FolderFailed 01020304: disk-full the disk is full");
  shared.mutable_folder_shared()->set_folder(folder);
  shared.mutable_folder_shared()->set_scope(v1::SCOPE_KIND_USER);
  shared.mutable_folder_shared()->set_id("bob");
  shared.mutable_folder_shared()->set_access("read");
  EXPECT_EQ(describe(shared), "FolderShared 01020304 with user bob to read");
  shared.mutable_folder_shared()->set_access("none");
  EXPECT_EQ(describe(shared), "FolderShared 01020304 with user bob: no more");
  named.mutable_volume_agent_named()->set_volume(volume);
  named.mutable_volume_agent_named()->set_agent("a1");
  EXPECT_EQ(describe(named), "VolumeAgentNamed 0a0b0c0d: a1 makes and removes its folders");
  v1::Event forgotten;
  forgotten.mutable_volume_forgotten()->set_volume(volume);
  forgotten.mutable_volume_forgotten()->set_folders(3);
  EXPECT_EQ(describe(forgotten), "VolumeForgotten 0a0b0c0d and its 3 folders");
  auto* mount = session.mutable_session_requested()->mutable_spec()->add_mounts();
  mount->set_target("notes");
  mount->set_read_only(true);
  EXPECT_NE(describe(session).find("; folder at notes, read-only; group"), std::string::npos);
}

TEST(Describe, SaysWhoseBrowserSessionOrLinkEnded) {
  v1::Event session, link;
  session.mutable_browser_session_ended()->set_id(kSession);
  session.mutable_browser_session_ended()->set_reason(record_code("logout"));
  EXPECT_EQ(describe(session), "BrowserSessionEnded 11111111: logout");
  session.mutable_browser_session_ended()->set_user("alice");
  EXPECT_EQ(describe(session), "BrowserSessionEnded 11111111 of alice: logout");
  link.mutable_login_link_ended()->set_user("alice");
  link.mutable_login_link_ended()->set_reason(record_code("replaced"));
  EXPECT_EQ(describe(link), "LoginLinkEnded of alice: replaced");
}

TEST(Describe, SaysOfHowManySessionsATerminationIs) {
  v1::Event event;
  event.mutable_termination_begun()->add_selected(kSession);
  event.mutable_termination_begun()->add_selected(kKernel);
  EXPECT_EQ(describe(event), "TerminationBegun of 2 sessions");
}

TEST(Describe, StaysOneLineWhateverATextHolds) {
  v1::Event event;
  event.mutable_session_failed()->set_session_id(kSession);
  event.mutable_session_failed()->set_message("line\nbreak \x1b[31mred");
  EXPECT_EQ(describe(event), "SessionFailed 11111111: line break  [31mred");
}

TEST(Describe, CutsALongTextBetweenTwoCharacters) {
  v1::Event event;
  std::string message;
  for (int i = 0; i < 5000; ++i) message += "\xEA\xB0\x80";  // Hangul syllable GA
  event.mutable_session_failed()->set_message(message);
  const std::string line = describe(event);
  ASSERT_LT(line.size(), 1010u);
  ASSERT_EQ(line.substr(line.size() - 3), "...");
  EXPECT_EQ(line.substr(line.size() - 6, 3), "\xEA\xB0\x80");
}

TEST(Describe, CallsABodyThatItDoesNotKnowUnknown) { EXPECT_EQ(describe(v1::Event()), "Unknown"); }

// A new event without a line would show only its name: this finds the one that was forgotten.
TEST(Describe, HasALineForEveryEventOfTheSchema) {
  const auto* type = v1::Event::descriptor();
  const auto* body = type->FindOneofByName("body");
  ASSERT_NE(body, nullptr);
  for (int i = 0; i < body->field_count(); ++i) {
    v1::Event event;
    auto* message = event.GetReflection()->MutableMessage(&event, body->field(i));
    const auto* fields = message->GetDescriptor();
    for (int f = 0; f < fields->field_count();
         ++f) {  // texts and ids filled in, so that no line is empty for want of them
      const auto* field = fields->field(f);
      if (field->is_repeated() || field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_STRING)
        continue;
      message->GetReflection()->SetString(message, field, "abcdabcdabcdabcd");
    }
    EXPECT_GT(describe(event).size(), event_name(event).size() + 1) << event_name(event);
  }
}

TEST(Describe, WhatASelectionLearnedSaysOfHowMuch) {
  v1::Event event;
  auto& e = *event.mutable_selection_learned();
  e.set_group("gpu");
  for (const std::int64_t count : {7, 5}) e.add_classes()->set_count(count);
  EXPECT_EQ(describe(event), "SelectionLearned gpu: 2 classes of 12 kernels");
  for (const std::int64_t number : {100, 50, 50, 50, 70, 20}) e.add_shape(number);
  e.set_simulations(78);
  EXPECT_EQ(describe(event),
            "SelectionLearned gpu: 2 classes of 12 kernels, shape 100 50 50 50 70 20 after 78 simulations");
}

TEST(Describe, ALimitSaysWhoseItIsAndWhatItBounds) {
  v1::Event event;
  auto& e = *event.mutable_limit_set();
  e.set_scope(v1::SCOPE_KIND_USER);
  e.set_id("alice");
  auto& cpu = *e.add_slots();
  cpu.set_slot("cpu");
  cpu.set_most(2'000'000);
  auto& mem = *e.add_slots();
  mem.set_slot("mem");
  mem.set_unlimited(true);
  e.mutable_sessions()->set_most(0);
  EXPECT_EQ(describe(event), "LimitSet user alice: cpu 2, mem unlimited, sessions 0, else unlimited");
  event.mutable_limit_removed()->set_scope(v1::SCOPE_KIND_USER);
  event.mutable_limit_removed()->set_id("alice");
  EXPECT_EQ(describe(event), "LimitRemoved user alice");
}

}  // namespace
}  // namespace berth
