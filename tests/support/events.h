// Events for tests, as short as they are said: session_requested("s1"), kernel_running("k1").
//
// Names stand for ids (ids.h). A session's kernel is named by placed(): the first placement of a session "s1"
// is "s1/main1".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/schema/v1/event.pb.h"
#include "tests/support/ids.h"
#include "tests/support/record_codes.h"
#include "tests/support/spec.h"

namespace berth::testing {

using Events = std::vector<v1::Event>;

Events operator+(Events a, const Events& b);

// ---- definitions ----
v1::Event slot_type_registered(const std::string& name, SlotKind kind, Amount quantum = 0);
v1::Event group_defined(const std::string& name);
v1::Event image_registered(const std::string& reference);
// As image_registered(), and somebody can fetch it.
v1::Event image_stored(const std::string& reference);
v1::Event image_building(const std::string& reference, std::uint32_t percent, const std::string& step = "");
v1::Event image_build_failed(const std::string& reference, const std::string& message);
v1::Event user_defined(const std::string& name);
v1::Event user_with_role(const std::string& name, const std::string& role);
v1::Event domain_defined(const std::string& name);
v1::Event project_defined(const std::string& domain, const std::string& name);
v1::Event key_pair_defined(const std::string& id, const std::string& user);
v1::Event definition_removed(const std::string& kind, const std::string& name);
v1::Event preset_defined(const std::string& name, const std::string& slot, Amount amount);
// cpu, mem, cuda.device and cuda.shares (quantum 0.01), group default, domain, project, user alice, image
// python:3.11.
Events definitions();

// ---- how people sign in ----
v1::Event password_set(const std::string& user);
v1::Event login_link_issued(const std::string& user);
v1::Event browser_session_started(const std::string& name, const std::string& user);
v1::Event browser_session_used(const std::string& name, Timestamp at);
v1::Event browser_session_ended(const std::string& name, const std::string& user = "alice");
v1::Event login_link_ended(const std::string& user, const std::string& reason = "replaced");
v1::Event key_pair_used(const std::string& id, Timestamp at);

// ---- agents ----
v1::Device gpu(const std::string& id, Amount shares = kUnit);  // of cuda.shares
v1::Event agent_enrolled(const std::string& name, std::uint32_t generation = 1);
// `life` tells incarnations of one agent apart.
v1::Event agent_joined(const std::string& name, Amount cpus, Amount mem,
                       const std::vector<v1::Device>& devices = {}, int life = 1);
v1::Event agent_lost(const std::string& name, int life = 1);
v1::Event agent_left(const std::string& name, int life = 1);
v1::Event agent_fenced(const std::string& name);
v1::Event agent_removed(const std::string& name);
v1::Event unreachable_changed(const std::vector<std::string>& lost,
                              const std::vector<std::string>& back = {});
v1::Event agent_drain_changed(const std::string& name, bool draining);
std::string incarnation_of(const std::string& name, int life);  // 16 bytes
// Enrolled and joined with 8 cpus, 16 GiB and two GPUs of 1.0 share, "gpu0" and "gpu1".
Events agent(const std::string& name);

// ---- sessions ----
struct Placed {
  std::string agent;
  std::vector<std::pair<std::string, Amount>> shares = {};  // device and micro-units of cuda.shares
  std::string role = "main";
  std::uint32_t index = 1;
};
std::string kernel_name(const std::string& session, const std::string& role = "main", std::uint32_t index = 1,
                        std::uint32_t attempt = 1);

v1::Event session_requested(const std::string& name, const v1::SessionSpec& spec = Spec(),
                            const std::string& user = "alice");
v1::Event session_scheduled(const std::string& session, const std::vector<Placed>& placed,
                            std::uint32_t attempt = 1);
v1::Event session_scheduled(const std::string& session, const std::string& agent, std::uint32_t attempt = 1);
v1::Event session_reason_changed(const std::string& session, const std::string& code,
                                 const std::string& slot = "");
v1::Event session_retried(const std::string& session, std::uint32_t retries);
v1::Event session_terminating(const std::string& session, const std::string& reason = "user-requested",
                              bool forced = false);
v1::Event session_cancelled(const std::string& session, const std::string& reason = "user-requested");
v1::Event termination_begun(const std::vector<std::string>& sessions);
v1::Event session_requeued(const std::string& session, std::uint32_t attempts = 1,
                           const std::string& reason = "start-failed");
// Preemption: the place held, that it is no more, and who makes room: by its end, or going back to the queue.
v1::Event session_reserved(const std::string& session, const std::vector<Placed>& placed);
v1::Event session_reserved(const std::string& session, const std::string& agent);
v1::Event session_unreserved(const std::string& session);
v1::Event session_preempted(const std::string& victim, const std::string& preemptor);
v1::Event session_put_back(const std::string& victim, const std::string& preemptor,
                           std::uint32_t attempts = 0);
v1::Event session_failed(const std::string& session, const std::string& code = "gave-up");

// ---- kernels, by kernel_name() ----
v1::Event kernel_preparing(const std::string& kernel, std::uint32_t attempt = 1);
v1::Event kernel_pulling(const std::string& kernel, std::uint32_t percent, std::uint32_t attempt = 1);
v1::Event kernel_prepared(const std::string& kernel, std::uint32_t attempt = 1);
v1::Event kernel_creating(const std::string& kernel, std::uint32_t attempt = 1);
v1::Event kernel_running(const std::string& kernel, std::uint32_t attempt = 1);
v1::Event kernel_terminated(const std::string& kernel, v1::KernelEnd end = v1::EXITED,
                            std::int32_t exit_code = 0, std::uint32_t attempt = 1);
// By the session's user "alice" as a rule; the kernel is main1 of the session.
v1::Event kernel_opened(const std::string& session, const std::string& kind = "exec",
                        const std::string& name = "", const std::string& user = "alice");
v1::Event session_shared(const std::string& session, const std::string& scope, const std::string& id,
                         bool withdrawn = false);

// ---- the log ----
v1::Event request_refused(const std::string& code);
v1::Event request_repeated();
v1::Event request_expired();
v1::Event input_rewound(std::uint32_t stream, std::uint32_t partition, std::uint64_t to);
v1::Event internal_error_recorded(std::uint32_t stream, std::uint32_t partition, std::uint64_t offset);
v1::Event internal_error_recorded(const std::string& subject);
v1::Event quarantine_released(const std::string& subject);
v1::Event clock_jumped();
v1::Event clock_confirmed();

// The same event as the answer to a request.
v1::Event answering(v1::Event event, const std::string& actor, const std::string& request);

}  // namespace berth::testing
