// Channels into kernels, and to the files of folders, through the agents' tunnels
// (agents/services/inside_route.h, file_route.h).
#pragma once

#include <functional>
#include <memory>

#include "controller/api/api_context.h"
#include "controller/api/http/agent_tunnels.h"
#include "events/codec/signing.h"

namespace berth::controller {

// As ApiContext::open_channel() and open_app(). `route`: of the agent's, "inside" or "app?port=8888".
// `signer`: the agent's (writer "agent:NAME"). `tunnels` outlives the channel; once they stop no handler is
// called. Errors also: agent-answer-invalid, for a token that is none.
std::shared_ptr<KernelChannel> open_agent_channel(AgentTunnels& tunnels, const Signer& signer,
                                                  const KernelPlace& kernel, const std::string& route,
                                                  Duration patience, AppOpenedDone opened);

// As ApiContext::ask_files().
std::shared_ptr<KernelChannel> ask_agent_files(AgentTunnels& tunnels, const Signer& signer,
                                               const FilesQuestion& question, FilesAnswered answered);

// What an agent's tunnel says, as the API says it of the agent.
Error error_of_tunnel(const std::string& agent, const std::string& address, const Error& error);
// The reason in the body of an agent's refusal. Code agent-answer-invalid where it has none.
Error refusal_in(const std::string& body);

}  // namespace berth::controller
