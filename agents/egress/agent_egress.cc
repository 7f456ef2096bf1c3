#include "agents/egress/agent_egress.h"

#include <chrono>
#include <utility>

#include "agents/egress/address_rule.h"
#include "events/inside/messages.h"

namespace berth::agents {
namespace {

constexpr auto kSearchAgain = std::chrono::minutes(1);

}  // namespace

AgentEgress::AgentEgress(RegistrySettings settings, Parts parts)
    : settings_(std::move(settings)),
      parts_(std::move(parts)),
      server_(
          {}, [this](const std::string& host, LookedUp done) { names_.look_up(host, std::move(done)); },
          may_dial, parts_.warn) {
  for (const std::string& note : settings_.notes) parts_.tell("egress: " + note);
  server_.allow(settings_.allowed);
  searcher_ = std::thread([this] { search(); });
}

AgentEgress::~AgentEgress() { stop(); }

void AgentEgress::begin(const KernelKey& kernel, Egress egress) {
  if (egress == Egress::kRegistries) kernels_.insert(kernel);
}

void AgentEgress::follow(const KernelEvent& event) {
  if (!kernels_.contains(event.key)) return;
  if (event.what == KernelEvent::What::kRunning) {
    server_.open(event.key, parts_.door(event.key), inside::kEgressPort);
  } else if (event.what == KernelEvent::What::kEnded) {
    server_.close(event.key);
    kernels_.erase(event.key);
  }
}

void AgentEgress::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  woken_.notify_all();
  if (searcher_.joinable()) searcher_.join();
  server_.stop();
}

// Until every index has answered once. What is known is allowed meanwhile.
void AgentEgress::search() {
  std::string told;
  for (;;) {
    Found found = search_registries(settings_, own_tools(stopped_));
    if (stopped_) return;
    std::string text = "kernels with egress may reach " + found.allowed.text();
    server_.allow(std::move(found.allowed));
    if (text != told) {
      for (const std::string& note : found.notes) parts_.warn("egress: " + note);
      parts_.tell(text);
      told = std::move(text);
    }
    if (found.whole) return;
    std::unique_lock lock(mutex_);
    if (woken_.wait_for(lock, kSearchAgain, [this] { return stopped_.load(); })) return;
  }
}

}  // namespace berth::agents
