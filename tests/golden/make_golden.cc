// Makes a golden journal: make_golden PATH.bin PATH.txt. For new rules or a new schema after a release: the
// journals of releases stay as they are.
#include <fstream>
#include <iostream>

#include "events/codec/chain_head.h"
#include "tests/golden/golden_journal.h"
#include "tests/support/folders.h"
#include "tests/support/limits.h"
#include "tests/support/producers.h"
#include "tests/support/random_cluster.h"

namespace berth::testing {
namespace {

// What decide refuses and the net does not: an amount that is no
// multiple of its quantum, a session over a limit, a name of no valid pattern, a victim that need not make
// room.
Events beside_business_rules() {
  return {Limit("user", "carol").pending(0),
          session_requested("over-a-limit", Spec(), "carol"),
          session_requested("beside-the-quantum", Spec().shares(555'555), "dave"),
          session_requested("-no name-", Spec(), "dave"),
          session_requested("equal", Spec(), "dave"),
          agent_enrolled("a9"),
          agent_joined("a9", 1, 2 * kGiga),
          session_requested("stays", Spec(), "dave"),
          session_scheduled("stays", "a9"),
          session_preempted("stays", "equal")};
}

v1::Sealed sealed() {
  v1::Sealed s;
  s.set_key(1);
  s.set_nonce(std::string(24, 'n'));
  s.set_box(std::string(40, 'b'));
  return s;
}

// Sealed environments, one for the sessions of a request; sessions that a lease's end
// sends back to the queue, and that wait before they are tried again; names that are retired; tokens.
Events sealed_and_retired() {
  v1::Event first = answering(session_requested("env-1", Spec().requeueable(), "erin"), "user:erin", "two");
  auto* asked = first.mutable_session_requested();
  *asked->mutable_environment() = sealed();
  first.set_body_hash(std::string(16, 'h'));
  first.set_keyed(true);
  asked->set_count(2);
  v1::Event second = answering(session_requested("env-2", Spec(), "erin"), "user:erin", "two");
  second.mutable_session_requested()->set_number(2);
  second.mutable_session_requested()->set_count(2);
  v1::Event again = session_requeued("env-1", 0, "lease-over");
  again.mutable_session_requeued()->set_not_before_ns(kTestStart + kDay);
  v1::Event token = agent_enrolled("a10");
  token.mutable_agent_enrolled()->set_token_hash(std::string(16, 't'));
  token.mutable_agent_enrolled()->set_token_expires_ns(kTestStart + kDay);
  v1::Event key = key_pair_defined("AKerin", "alice");
  *key.mutable_key_pair_defined()->mutable_secret() = sealed();
  key.mutable_key_pair_defined()->set_read_only(true);
  v1::Event group = group_defined("skips");
  group.mutable_resource_group_defined()->set_impossible("skip");
  group.mutable_resource_group_defined()->set_disk(kGiga);
  v1::Event met = session_requested("after", Spec().batch(), "erin");
  met.mutable_session_requested()->mutable_spec()->add_depends_on(wire("long gone"));
  met.mutable_session_requested()->add_met(wire("long gone"));
  return {first,
          second,
          agent_enrolled("a11"),
          agent_joined("a11", 4, 8 * kGiga),
          session_scheduled("env-1", "a11"),
          kernel_terminated(kernel_name("env-1"), v1::LEASE_OVER),
          again,
          token,
          key,
          group,
          met,
          preset_defined("old", "cpu", kUnit),
          definition_removed("preset", "old"),
          agent_lost("a11"),
          agent_removed("a11")};
}

// How people sign in, people and projects that go, agents held unreachable.
Events signing_in() {
  v1::Event zoe = user_defined("zoe");
  zoe.mutable_user_defined()->set_display_name("Zo\u00eb");
  zoe.mutable_user_defined()->add_admin_of("default");
  v1::Event why = password_set("zoe");
  why.set_reason("first day");
  return {domain_defined("lab"),
          project_defined("lab", "x"),
          definition_removed("project", "lab/x"),
          definition_removed("domain", "lab"),
          zoe,
          user_defined("yan"),
          key_pair_defined("AKzoe", "zoe"),
          key_pair_used("AKzoe", kTestStart + kDay),
          login_link_issued("zoe"),
          why,
          login_link_issued("yan"),
          browser_session_started("first", "zoe"),
          browser_session_used("first", kTestStart + kHour),
          browser_session_started("second", "yan"),
          definition_removed("user", "yan"),
          agent_enrolled("a12"),
          agent_joined("a12", 4, 8 * kGiga),
          unreachable_changed({"a12"})};
}

// Ways into kernels, who made a key pair, links that end unspent, whose a browser
// session was, and whose the session is that another makes room for.
Events ways_in() {
  v1::Event key = key_pair_defined("AKxena", "zoe"), opened = kernel_opened("open", "shell", "main", "erin");
  key.mutable_key_pair_defined()->set_made_by("alice");
  opened.mutable_kernel_opened()->set_key_pair("AKerin");
  return {key,
          user_defined("xena"),
          user_defined("erin"),
          login_link_issued("xena"),
          login_link_ended("xena", "password-changed"),
          browser_session_started("third", "xena"),
          browser_session_ended("third", "xena"),
          agent_enrolled("a13"),
          agent_joined("a13", 4, 8 * kGiga),
          session_requested("open", Spec(), "erin"),
          session_scheduled("open", "a13"),
          kernel_running(kernel_name("open")),
          answering(opened, "user:erin", "opening"),
          session_requested("urgent", Spec(), "xena"),
          session_preempted("open", "urgent")};
}

// What a group's kernels reach, and images that are being built.
Events image_builds() {
  v1::Event group = group_defined("reaching"), by_name = image_building("jupyter:4.6", 43, "packages");
  group.mutable_resource_group_defined()->set_egress("registries");
  by_name.mutable_image_build_changed()->set_builder("up");
  return {group,
          image_building("jupyter:4.6", 0),
          session_requested("early", Spec().image("jupyter:4.6"), "erin"),
          session_reason_changed("early", "image-building"),
          answering(by_name, "user:erin", "building"),
          image_building("torch:2", 10),
          image_build_failed("torch:2", "no space left"),
          image_building("ready:1", 99),
          image_stored("ready:1"),
          image_building("ready:1", 5, "anew"),
          image_building("gone:1", 1),
          definition_removed("image", "gone:1")};
}

// Volumes, folders in every state, shares and mounts.
Events folders() {
  const Timestamp purge_at = kTestStart + 1'000 * kHour;
  return Events{agent_enrolled("a14"),
                agent_enrolled("a15"),
                with_volumes(agent_joined("a14", 4, 8 * kGiga), {"local", "shared"}),
                with_volumes(agent_joined("a15", 4, 8 * kGiga), {"shared"}),
                volume_agent_named("local", "a14"),
                volume_agent_named("shared", "a14"),
                volume_agent_named("shared", "a15"),
                answering(folder_created("data", folder_owner("erin")), "user:erin", "creating"),
                folder_ready("data"),
                folder_renamed("data", "notes"),
                folder_shared("data", "user", "xena"),
                folder_shared("data", "user", "xena", "write"),
                folder_shared("data", "project", "default/default"),
                folder_shared("data", "project", "default/default", "none"),
                session_requested("mounts", mounting(Spec(), "data", "notes", true), "xena"),
                session_scheduled("mounts", "a14"),
                folder_created("new", folder_owner("erin")),
                folder_created("bad", folder_owner("erin")),
                folder_failed("bad")} +
         ready_folder("ours", project_owner("default")) + ready_folder("old", folder_owner("erin")) +
         ready_folder("back", folder_owner("erin")) + ready_folder("going", folder_owner("erin")) +
         ready_folder("gone", folder_owner("erin")) +
         Events{folder_trashed("old", purge_at),
                folder_trashed("back", purge_at),
                folder_restored("back"),
                folder_trashed("going", purge_at),
                folder_purging("going"),
                folder_failed("going", "disk-full", "a kernel holds it"),
                folder_trashed("gone", purge_at),
                folder_purging("gone"),
                folder_purged("gone"),
                agent_enrolled("a16"),
                with_volumes(agent_joined("a16", 4, 8 * kGiga), {"burnt"}),
                folder_created("burnt", folder_owner("erin"), "burnt"),
                agent_left("a16"),
                volume_forgotten("burnt", 1)};
}

// Sessions that are shared, automatic folders and a session that refuses its own.
Events shared_sessions() {
  v1::SessionSpec refusing = Spec();
  refusing.set_no_automatic_folder(true);
  return Events{session_requested("together", Spec(), "erin"),
                answering(session_shared("together", "user", "xena"), "user:erin", "sharing"),
                session_shared("together", "project", "default/default"),
                session_shared("together", "user", "xena"),
                session_shared("together", "project", "default/default", true),
                session_shared("mounts", "user", "erin"),
                session_shared("mounts", "user", "erin", true),
                folder_created(projections::kAutomaticFolder, folder_owner("erin")),
                folder_ready(projections::kAutomaticFolder),
                session_requested("bare", refusing, "erin"),
                answering(termination_begun({"together", "bare"}), "user:erin", "ending")};
}

// Producers, their keys and what they asked.
Events producers() {
  const v1::Event web = producer_defined("web", {"request_session"}, {{"user", "erin"}, {"cluster", ""}});
  return Events{
      with_token(web, std::string(16, 't'), kTestStart + 400 * kDay),
      answering(producer_key_collected("web"), "producer:web", "collecting"),
      answering(session_requested("webbed", Spec(), "erin"), "producer:web", "asking"),
      switched_off(producer_defined("web", {}, {}, 2)),
      producer_defined("gone", {"put_user"}, {{"domain", "default"}, {"project", "default/default"}}),
      definition_removed("producer", "gone")};
}

v1::Sealed golden_box(std::uint32_t key) {
  v1::Sealed sealed;
  sealed.set_key(key);
  sealed.set_nonce(std::string(24, 'g'));
  sealed.set_box(std::string(40, 'g'));
  return sealed;
}

// Ends by the machine's stop, of a session that may move and of one that may not, and
// an agent that can start nothing.
Events machines_that_stop() {
  v1::Event unfit = agent_joined("a22", 4, 8 * kGiga);
  unfit.mutable_agent_joined()->set_unfit("start-failed: error mounting \"cgroup\"");
  return {agent_enrolled("a21"),
          agent_joined("a21", 4, 8 * kGiga),
          session_requested("moves", Spec().requeueable(), "erin"),
          session_scheduled("moves", "a21"),
          kernel_running(kernel_name("moves")),
          kernel_terminated(kernel_name("moves"), v1::MACHINE_STOPPED),
          session_requeued("moves", 0, "machine-stopped"),
          session_requested("stands", Spec().batch(), "erin"),
          session_scheduled("stands", "a21"),
          kernel_running(kernel_name("stands")),
          kernel_terminated(kernel_name("stands"), v1::MACHINE_STOPPED),
          agent_enrolled("a22"),
          unfit};
}

// What keeps a cluster. A restore ends its epoch: it comes last of all.
Events keeping() {
  SealingRing ring;
  ring.add({1, std::string(kSealKeyBytes, 'k')});
  const HeadSigner signer(test_cluster(), ring);
  v1::Event head, next_head;
  auto& first = *head.mutable_head_key_changed();
  first = signer.first(std::string(kHeadSeedBytes, 'h'));
  *next_head.mutable_head_key_changed() =
      *signer.next(first.public_key(), first.secret_key(), std::string(kHeadSeedBytes, 'i'));
  v1::Event rule, pruned, added, resealed, destroyed, restored;
  rule.mutable_history_rule_set()->set_keep_ms(365LL * 24 * 3'600'000);
  pruned.mutable_history_pruned()->set_before_ns(kTestStart - 400 * kDay);
  added.mutable_seal_key_added()->set_number(9);
  *added.mutable_seal_key_added()->mutable_key() = golden_box(1);
  auto& secret = *resealed.mutable_secret_resealed();
  secret.set_kind(v1::SECRET_KIND_PASSWORD);
  secret.set_name("zoe");
  secret.set_before(1);
  *secret.mutable_secret() = golden_box(9);
  destroyed.mutable_seal_key_destroyed()->set_number(7);
  v1::Event sealing, backup;
  sealing.mutable_server_sealing()->set_server("c1");
  sealing.mutable_server_sealing()->set_number(9);
  backup.mutable_backup_taken()->set_backup("ffeeddccbbaa99887766554433221100");
  backup.mutable_backup_taken()->set_taken_ns(kTestStart - kHour);
  backup.mutable_backup_taken()->add_sealing_keys(9);
  restored.mutable_cluster_restored()->set_backup("00112233445566778899aabbccddeeff");
  restored.mutable_cluster_restored()->set_taken_ns(kTestStart);
  restored.mutable_cluster_restored()->set_into("local:/elsewhere");
  return {head, next_head, rule, pruned, added, resealed, destroyed, sealing, backup, restored};
}

}  // namespace
}  // namespace berth::testing

int main(int argc, char** argv) {
  namespace v1 = berth::v1;
  using namespace berth::testing;
  if (argc != 3) {
    std::cerr << "usage: make_golden PATH.bin PATH.txt\n";
    return 2;
  }
  constexpr std::uint64_t kSeed = 20'240'601;
  constexpr int kRecords = 260;
  RandomCluster cluster(kSeed);
  TestJournal journal;
  journal.sign_with(*golden_trust());
  berth::projections::Projection projection(test_cluster(), berth::projections::Projection::Tracking::kRows,
                                            golden_trust());
  cluster.run(journal, projection, kRecords);
  for (const auto& event : beside_business_rules() + sealed_and_retired() + signing_in() + ways_in() +
                               image_builds() + folders() + shared_sessions() + producers() +
                               machines_that_stop() + keeping()) {
    const auto outcome = projection.apply(projection.chain().next(), journal.append({event}));
    if (outcome.applied()) continue;
    std::cerr << "a record that must apply does not: " << outcome.text() << "\n";
    return 1;
  }
  // By somebody who reaches the log and holds no secret: right in every way but for the signature.
  const v1::Record forged = journal.next_record({session_requested("forged", Spec(), "mallory")});
  projection.apply(projection.chain().next(), journal.append_bytes(unsigned_payload(forged)));
  write_golden_journal(argv[1], journal.payloads());
  std::ofstream(argv[2]) << describe_fold(journal.payloads());
  return 0;
}
