// What a seed of the profile "hostile" has besides the faults of every profile. Drawn from a generator of its
// own, so that the profile "plain" stays what it was.
#pragma once

#include <cstdint>
#include <string>

#include "events/base/clock.h"
#include "events/log/event_log.h"

namespace berth::simulation {

struct Hostility {
  // What users ask for.
  bool gangs = false;      // several kernels, on several agents
  bool timeouts = false;   // of batches and of waiting; requests with a short not_after
  bool limits = false;     // on the sessions of a user
  bool large = false;      // requests near the bound of a record and above it
  bool conflicts = false;  // keys of answered requests with other bodies
  // What operators do.
  bool operators = false;  // fences of machines that are dead, drains
  // What happens to programs and machines.
  bool stubborn = false;  // programs ignore SIGTERM
  bool deaths = false;    // programs die by themselves, kernels of gangs one by one
  bool absences = false;  // agents are away for longer than a lease while a leader stays
  Duration watchdog_delay = 0;
  bool long_leases = false;  // of some lives of agents
  // What happens to clocks (in seeds whose clocks jump, chaos.h).
  bool steps = false;    // forward by less than the tolerance, again and again
  bool between = false;  // between a tick and the flush that follows
  // What happens to the log.
  bool outages = false;  // a stream, or all, out of reach for a while
  bool forger = false;   // appends to every stream what it cannot sign
  bool gaps = false;     // offsets without a record
  // How often things happen that take days elsewhere.
  bool night = false;        // long enough for sessions to leave the state for history
  bool chain_heads = false;  // void records fill the journal up to the next chain point
  std::size_t flush_records = 40;
  std::uint64_t checkpoint_records = 100;
  std::size_t unsaved_rows_max = 0;  // while a disk fails (strangeness.h); 0: as elsewhere

  std::string text() const;  // "gangs, timeouts, ..."
};

Hostility draw_hostility(std::uint64_t seed);

}  // namespace berth::simulation
