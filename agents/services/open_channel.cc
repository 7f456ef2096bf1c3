#include "agents/services/open_channel.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace berth::agents {

void ask_for_door(boost::asio::io_context& io, const FindDoor& find_door, const KernelKey& kernel,
                  std::function<void(const Result<std::string>&)> then) {
  find_door(kernel, [&io, then = std::move(then)](Result<std::string> door) {
    boost::asio::post(io, [then, door = std::move(door)] { then(door); });
  });
}

Error helper_silent() {
  return make_error(
      "helper-silent", "the kernel's helper does not answer",
      "a program in the kernel has taken its place or takes all its time, or the kernel is frozen");
}

Result<void> open_channel(boost::asio::io_context& io, const std::string& door,
                          const inside::Request& request, std::optional<Channel>& channel,
                          std::optional<DescriptorWatch>& watch) {
  if (door.empty())
    return make_error("kernel-not-open", "nothing can come into kernels of this agent",
                      "its backend runs no programs of people");
  auto opened = Channel::open(door);
  if (!opened) return opened.error();
  channel.emplace(std::move(*opened));
  watch.emplace(io);
  if (!watch->watch(channel->descriptor()))
    return make_error("agent-busy", "this agent can wait for no more channels", "try again in a moment");
  return channel->request(request);
}

}  // namespace berth::agents
