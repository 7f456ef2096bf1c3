#include "agents/services/inside_route.h"

#include "agents/services/passage.h"

namespace berth::agents {

Error no_networks() {
  return make_error("not-for-this-backend",
                    "kernels of this agent are processes: a port of theirs is the host's",
                    "apps and ports need an agent with the oci backend");
}

KernelRoute inside_route(FindDoor find_door, std::size_t channels_max, bool has_networks) {
  const auto open = std::make_shared<std::size_t>(0);
  return [find_door = std::move(find_door), channels_max, has_networks, open](
             const KernelQuestion& question, const std::shared_ptr<tunnel::Stream>& stream) {
    if (*open >= channels_max)
      return refuse(
          stream, 503,
          make_error("agent-busy",
                     std::to_string(channels_max) + " channels into kernels of this agent are open already",
                     "try again when some of them have ended"));
    ++*open;
    std::shared_ptr<void> place(open.get(), [open](void*) { --*open; });
    std::make_shared<Passage>(question.io, question.kernel, find_door, stream, std::move(place))
        ->begin(has_networks);
  };
}

}  // namespace berth::agents
