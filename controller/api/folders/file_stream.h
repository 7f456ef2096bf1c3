// FileStream: the bytes of a file as an agent gives them, for one client. What the client does not take stays
// with the agent, but for a piece of at most 256 KiB.
#pragma once

#include <cstdint>
#include <memory>

#include "controller/api/folders/file_place.h"
#include "controller/api/http/http.h"

namespace berth::controller::api {

// `bytes` of them, which the channel is to give from here on. A stream that ends before: the file was cut
// short meanwhile, the agent is gone, or the caller may read the folder no more, which is looked at again
// about once a second.
std::shared_ptr<FrameStream> make_file_stream(const Services& services, Caller caller, FolderId folder,
                                              std::shared_ptr<KernelChannel> channel, std::uint64_t bytes);

}  // namespace berth::controller::api
