// The nouns of the API as text for people (controller/api/README.md has the JSON). Pure.
#pragma once

#include <string>

#include <boost/json.hpp>

#include "events/base/amount.h"
#include "events/base/clock.h"
#include "ops/cli/output/bars.h"
#include "ops/cli/output/table.h"

namespace berth::cli {

// `ended`: with a column that says how each ended.
Listing session_listing(Timestamp now, bool ended = false);
// The same with a column that says with whom each is shared.
Listing with_shares(Listing sessions);
// "by alice" of a session that another shares with the reader; "with bob, project default/ml" of one that its
// owner shares; "" of others.
std::string share_text(const boost::json::value& session);
Listing agent_listing(Timestamp now);
Listing image_listing();
Listing group_listing();
Listing fair_share_listing();
Listing event_listing();
Listing limit_listing();
Listing preset_listing();
Listing dry_run_listing();

// "in 10m00s (2026-01-31 14:32:00Z); 9 of 10 times ..." of a session's or explanation's estimated start; ""
// if nothing is known.
std::string start_text(const boost::json::value& item, Timestamp now, const Style& style);
// Several lines each; of the style count width, colour and zone.
std::string session_text(const boost::json::value& session, Timestamp now, const Style& style);
// "no-capacity cpu", "image-building 43 %": why it waits or how it ended; "" where there is no reason.
std::string reason_text(const boost::json::value& session);
// How an ended session ended: "exited 3", "out of memory (256m)", "did not start: no image x:1 is here".
std::string end_text(const boost::json::value& session);
std::string why_text(const boost::json::value& why, Timestamp now, const Style& style);
std::string dry_run_text(const boost::json::value& answer, Timestamp now, const Style& style);
std::string agent_text(const boost::json::value& agent, const Style& style);
std::string cluster_text(const boost::json::value& cluster, bool color);
// The bars of GET /v1/resource.
std::string resource_text(const boost::json::value& resource, const BarStyle& style);
// As long as the terminal has room for beside names and figures.
BarStyle bar_style(const Style& style);
// "17-0  12:34:56.789Z  SessionScheduled demo-1 attempt 1: ..."
std::string event_line(const boost::json::value& event, const Style& style);

// "cpu 0.5, mem 256m, cuda.shares 1" of an object of decimal strings.
std::string slots_text(const boost::json::value& slots, const char* separator = ", ");
// A decimal string as the API writes it; bytes are shortened where the slot's name says memory.
std::string amount_text(const std::string& slot, const std::string& amount);
bool is_bytes(const std::string& slot);
// The time since `time`: "12s"; "" for an absent time.
std::string age_text(const std::string& time, Timestamp now);
bool is_ended(const std::string& status);

}  // namespace berth::cli
