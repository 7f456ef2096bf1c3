#include "tests/simulation/demands.h"

#include <algorithm>

namespace berth::simulation {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;

void drop_devices(v1::RoleSpec* role) {
  auto* slots = role->mutable_slots();
  slots->erase(std::remove_if(slots->begin(), slots->end(),
                              [](const auto& slot) { return slot.slot() == "cuda.shares"; }),
               slots->end());
}

}  // namespace

std::vector<v1::Request> Demands::first() {
  std::vector<v1::Request> all(1);
  auto* define = all[0].mutable_define();
  define->add_domains()->set_name("default");
  auto* project = define->add_projects();
  project->set_domain("default");
  project->set_name("default");
  for (const char* name : {"u1", "u2", "u3"}) {
    auto* user = define->add_users();
    user->set_name(name);
    user->set_domain("default");
    user->add_projects("default");
    user->set_role(v1::ROLE_USER);
  }
  if (!h_.limits) return all;
  for (const char* name : {"u1", "u2"}) {  // nobody limits u3, who looks at the end whether all machines work
    v1::Request request;
    auto* limit = request.mutable_set_limit()->mutable_limit();
    limit->set_scope(v1::SCOPE_KIND_USER);
    limit->set_id(name);
    limit->mutable_sessions()->set_most(static_cast<std::int64_t>(1 + rng_.below(4)));
    all.push_back(std::move(request));
  }
  return all;
}

void Demands::harden(v1::Request& request, const Instant& now) {
  auto* spec = request.mutable_request_session()->mutable_spec();
  if (h_.gangs && rng_.chance(1, 3)) make_gang(spec);
  if (h_.timeouts) set_times(request, now);
  if (h_.stubborn && rng_.chance(1, 3)) {
    std::vector<std::string> words{"ignore-term"};
    words.insert(words.end(), spec->command().begin(), spec->command().end());
    if (words.size() == 1) words.insert(words.end(), {"sleep", "1000"});
    spec->mutable_command()->Assign(words.begin(), words.end());
  }
  if (h_.large && rng_.chance(1, 4)) make_large(request);
}

// Up to four kernels, each small enough that all fit the empty cluster.
void Demands::make_gang(v1::SessionSpec* spec) {
  spec->clear_session_group();
  spec->set_mode(rng_.chance(1, 4) ? v1::SINGLE_NODE : v1::MULTI_NODE);
  const bool single = spec->mode() == v1::SINGLE_NODE;
  auto* main = spec->mutable_roles(0);
  const std::int64_t cpu = single ? kUnit : 2 * kUnit;  // two of them fill an agent
  for (auto& slot : *main->mutable_slots())
    if (slot.slot() != "cuda.shares") slot.set_amount(slot.slot() == "mem" ? std::int64_t{1} << 30 : cpu);
  if (single) drop_devices(main);
  if (rng_.chance(1, 2)) {
    main->set_count(2 + static_cast<std::uint32_t>(rng_.below(2)));
    return;
  }
  v1::RoleSpec sub = *main;
  sub.set_role("sub");
  sub.set_count(1 + static_cast<std::uint32_t>(rng_.below(2)));
  *spec->add_roles() = std::move(sub);
}

void Demands::set_times(v1::Request& request, const Instant& now) {
  auto* spec = request.mutable_request_session()->mutable_spec();
  if (rng_.chance(1, 3)) spec->set_pending_timeout_ms(rng_.chance(1, 2) ? 3000 : 2 * kHourMs);
  if (spec->type() == v1::BATCH && rng_.chance(1, 3)) {
    spec->set_batch_timeout_ms(rng_.chance(1, 2) ? 1500 : 2 * kHourMs);
    const std::vector<std::string> words{"sleep", "6"};
    spec->mutable_command()->Assign(words.begin(), words.end());
  }
  if (rng_.chance(1, 3))
    request.set_not_after_ms(now.wall / kMillisecond + static_cast<std::int64_t>(rng_.below(3000)));
}

// What is copied into each session's event makes the record large: the environment, or the trace alone.
void Demands::make_large(v1::Request& request) {
  auto* body = request.mutable_request_session();
  auto* spec = body->mutable_spec();
  spec->set_type(v1::BATCH);
  spec->mutable_roles()->DeleteSubrange(1, spec->roles_size() - 1);
  spec->mutable_roles(0)->set_count(1);
  spec->clear_session_group();
  for (auto& slot : *spec->mutable_roles(0)->mutable_slots())
    slot.set_amount(slot.slot() == "mem" ? std::int64_t{64} << 20 : kUnit / 10);
  drop_devices(spec->mutable_roles(0));
  spec->mutable_command()->Clear();
  spec->add_command("true");
  constexpr std::uint32_t kCounts[] = {1, 20, 100};
  body->set_count(kCounts[rng_.below(3)]);
  constexpr std::uint64_t kRecordBytes[] = {150'000, 225'000, 245'000, 262'000, 400'000};
  const std::uint64_t each = kRecordBytes[rng_.below(5)] / body->count();
  if (rng_.chance(1, 2)) {
    request.set_trace(std::string(each, 't'));
    return;
  }
  auto* value = spec->add_env();
  value->set_key("LARGE");
  value->set_value(std::string(each, 'v'));
}

std::vector<v1::Request> Demands::besides(const projections::State& view) {
  std::vector<v1::Request> all;
  if (!h_.operators || !rng_.chance(1, 100)) return all;
  const auto names = view.agents.sorted_keys();
  if (names.empty()) return all;
  auto* drain = all.emplace_back().mutable_drain_agent();
  drain->set_agent(names[rng_.below(names.size())]);
  drain->set_draining(rng_.chance(1, 3));
  return all;
}

}  // namespace berth::simulation
