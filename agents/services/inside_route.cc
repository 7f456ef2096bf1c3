#include "agents/services/inside_route.h"

#include "agents/services/passage.h"
#include "agents/services/places.h"

namespace berth::agents {

Error no_networks() {
  return make_error("not-for-this-backend",
                    "kernels of this agent are processes: a port of theirs is the host's",
                    "apps and ports need an agent with the oci backend");
}

KernelRoute inside_route(FindDoor find_door, std::size_t channels_max, bool has_networks,
                         Duration begin_max) {
  return [find_door = std::move(find_door), has_networks, begin_max, places = Places(channels_max)](
             const KernelQuestion& question, const std::shared_ptr<tunnel::Stream>& stream) {
    auto place = places.take();
    if (!place)
      return refuse(
          stream, 503,
          make_error("agent-busy",
                     std::to_string(places.max()) + " channels into kernels of this agent are open already",
                     "try again when some of them have ended"));
    std::make_shared<Passage>(question.io, question.kernel, find_door, stream, std::move(place), begin_max)
        ->begin(has_networks);
  };
}

}  // namespace berth::agents
