// JournalSigner: the signature of journal records (P1).
//
// Whoever reaches the log's broker can append to the journal. Only holders of the cluster's secret can sign a
// record, and readers that hold it pass over every other one. The MAC covers the envelope too: `rules` and
// `min_reader` can stop a reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/codec/envelope.h"

namespace berth {

inline constexpr char kJournalWriter[] = "journal";

// Cheap to copy; thread-safe.
class JournalSigner {
 public:
  JournalSigner(const Uuid& cluster, std::string_view secret);

  std::string sign(std::string_view body, std::uint16_t rules = kRules) const;
  // `envelope` is what open_envelope(payload) returned.
  bool is_right(std::string_view payload, const Envelope& envelope) const;

 private:
  Hash128 mac_of(std::string_view payload) const;

  Uuid cluster_;
  std::string key_;
};

// A reader that holds the cluster's secret believes the records which this signer has signed. A reader
// without the secret has no signer, and believes every record.
using JournalTrust = std::optional<JournalSigner>;

}  // namespace berth
