// `app`: what people do in a session, through a Berth that is started as people start it, with containers: an
// app that serves HTTP and a WebSocket, terminals, uploads into folders.
#pragma once

#include <string>
#include <vector>

namespace berth::bench {

int run_app(const std::vector<std::string>& args);

}  // namespace berth::bench
