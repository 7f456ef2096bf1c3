// A journal made by the real writer's code: envelopes, records and links.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "events/base/hash.h"
#include "events/codec/chain_head.h"
#include "events/codec/envelope.h"
#include "events/log/event_log.h"
#include "events/schema/v1/record.pb.h"
#include "projections/audit/signed_head.h"
#include "projections/fold/chain.h"

namespace berth::cli {

inline std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= bytes.size() - i ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

// A journal of an election and `count` requests, one a record.
struct Journal {
  static Uuid usual_cluster() { return *Uuid::parse("11111111-2222-8333-8444-555555555555"); }
  Uuid cluster;
  std::vector<std::string> payloads;  // empty: a gap (P30)
  std::string link;

  explicit Journal(int count, const Uuid& of = usual_cluster()) : cluster(of) {
    v1::Record election;
    election.mutable_header()->set_epoch(1);
    election.mutable_header()->set_time_ns(1'767'225'600'000'000'000);
    auto& elected = *election.add_events()->mutable_controller_elected();
    elected.set_controller("c1");
    elected.set_nonce(std::string(16, 'n'));
    elected.set_rules(kRules);
    elected.mutable_claim()->set_rolling(std::string(32, '\0'));
    add(election);
    for (int i = 0; i < count; ++i) {
      v1::Record record;
      auto& header = *record.mutable_header();
      header.set_epoch(1);
      header.set_sequence(static_cast<std::uint64_t>(i) + 1);
      header.set_link(link);
      header.set_time_ns(1'767'225'601'000'000'000 + i);
      auto& range = *header.add_ranges();
      range.set_stream(v1::REQUESTS);
      range.set_partition(2);
      range.set_from(static_cast<std::uint64_t>(i));
      range.set_to(static_cast<std::uint64_t>(i) + 1);
      auto& event = *record.add_events();
      event.set_actor("user:admin");
      auto& failed = *event.mutable_session_failed();
      failed.set_session_id(std::string(16, '\x11'));
      failed.set_code(v1::CODE_NO_CAPACITY);
      failed.set_message("line\nbreak");
      add(record);
    }
  }

  // As a JSON value: base64, or null for a gap.
  std::string json_at(std::size_t offset) const {
    return payloads[offset].empty() ? "null" : '"' + base64(payloads[offset]) + '"';
  }
  LogEntry entry(std::size_t offset) const {
    return {{Stream::kJournal, 0}, offset, payloads[offset], payloads[offset].empty()};
  }
  void add(const v1::Record& record) {
    payloads.push_back(make_envelope(cluster, record.SerializeAsString()));
    link = as_view(blake2b_256(payloads.back()));
  }
};

// A journal whose last record is a signed head over all before it.
struct SignedJournal : Journal {
  projections::SignedHead head;
  std::vector<bool> applied;  // of each record before the head

  // `forged`: behind the key's record stands one without a right MAC, and so many right ones in its place
  // behind it.
  explicit SignedJournal(char seed = 'a', const Uuid& of = usual_cluster(), int count = 2, int forged = 0)
      : Journal(count, of), applied(payloads.size(), true) {
    SealingRing ring;
    ring.add({1, std::string(kSealKeyBytes, 'k')});
    const HeadSigner signer(cluster, ring);
    const auto key = signer.first(std::string(kHeadSeedBytes, seed));
    v1::Event event;
    *event.mutable_head_key_changed() = key;
    append(event);
    if (forged > 0) {
      const std::string before = link;
      event.mutable_slot_type_registered()->set_name("forged");
      append(event);
      applied.back() = false;
      link = before;
      for (int i = 0; i < forged; ++i) {
        event.mutable_slot_type_registered()->set_name(i == 0 ? "right" : "right-" + std::to_string(i));
        append(event);
      }
    }
    projections::Chain chain;
    for (std::size_t i = 0; i < payloads.size(); ++i) chain.extend(blake2b_256(payloads[i]), applied[i]);
    event.Clear();
    auto& told = *event.mutable_chain_head_recorded();
    told.mutable_claim()->set_offset(chain.next());
    told.mutable_claim()->set_rolling(std::string(as_view(chain.rolling())));
    told.set_state_hash(std::string(16, 's'));
    told.set_applied(chain.last().applied);
    told.set_voids(chain.voids(0, chain.next()));
    signer.sign(key.public_key(), key.secret_key(), told);
    head = projections::signed_head_of(cluster, told);
    append(event);
  }
  // Continues the newest record that counts.
  void append(const v1::Event& event) {
    v1::Record record;
    record.mutable_header()->set_epoch(1);
    record.mutable_header()->set_sequence(
        static_cast<std::uint64_t>(std::count(applied.begin(), applied.end(), true)));
    record.mutable_header()->set_link(link);
    record.mutable_header()->set_time_ns(1'767'225'700'000'000'000);
    *record.add_events() = event;
    add(record);
    applied.push_back(true);
  }
};

inline std::string export_of(const Journal& journal) {
  std::string out = "{\"cluster_id\":\"" + to_string(journal.cluster) + "\",\"from\":0}\n";
  for (std::size_t i = 0; i < journal.payloads.size(); ++i)
    out += "{\"offset\":" + std::to_string(i) + ",\"payload\":" + journal.json_at(i) + "}\n";
  return out;
}

}  // namespace berth::cli
