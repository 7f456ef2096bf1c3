// How jemalloc, with which this program is linked, gives memory back: by a thread of its own. Without that a
// thread does so when it allocates next, and the threads of sockets may be idle for hours after a burst: 500
// terminals kept 143 to 260 KiB each, and keep 19. For the file of main() alone.
#pragma once

// Read by jemalloc before main(); MALLOC_CONF in the environment goes before it.
extern "C" {
extern const char* malloc_conf;  // NOLINT(readability-identifier-naming)
const char* malloc_conf = "background_thread:true";
}
