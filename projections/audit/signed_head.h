// A signed chain head as people keep it elsewhere: one JSON object, which `berth audit head` prints.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "events/base/result.h"
#include "events/base/uuid.h"
#include "events/schema/v1/event.pb.h"
#include "projections/tables/epoch_table.h"

namespace berth::projections {

struct SignedHead {
  Uuid cluster;
  std::string key;         // 32 bytes, as all below are bytes
  std::uint64_t from = 0;  // it covers the records [from, offset)
  std::uint64_t offset = 0;
  std::uint64_t applied = 0;
  std::string rolling;
  std::string state_hash;
  std::string voids;  // of any length: which records did not apply (chain_head.h)
  std::string signature;

  // Whether the signature is the key's over what it says.
  bool is_right() const;
};

// REQUIRES: the row has a signature.
SignedHead signed_head_of(const HeadRow& row);
SignedHead signed_head_of(const Uuid& cluster, const v1::ChainHeadRecorded& head);

boost::json::object to_json(const SignedHead& head);
// Codes: head-damaged (no such object, or its signature does not fit what it says).
Result<SignedHead> read_head(std::string_view text);
Result<SignedHead> read_head(const boost::json::value& value);

}  // namespace berth::projections
