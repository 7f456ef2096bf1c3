// What comes before a channel: the kernel's door is asked for, and the channel opened and watched.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>

#include "agents/kernel/inside/channel.h"
#include "agents/services/descriptor_watch.h"
#include "agents/services/inside_route.h"

namespace berth::agents {

// `then` is called once, on the io_context's thread.
void ask_for_door(boost::asio::io_context& io, const FindDoor& find_door, const KernelKey& kernel,
                  std::function<void(const Result<std::string>&)> then);

// For whoever knocked and is not answered in time.
Error helper_silent();

// Asks the request of a channel through the door. Codes: kernel-not-open, agent-busy, those of
// Channel::open() and request().
Result<void> open_channel(boost::asio::io_context& io, const std::string& door,
                          const inside::Request& request, std::optional<Channel>& channel,
                          std::optional<DescriptorWatch>& watch);

}  // namespace berth::agents
