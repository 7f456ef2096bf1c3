#include "controller/api/http/io_threads.h"

#include <utility>

namespace berth::controller {
namespace {

constexpr unsigned kCoresForTwo = 4;

}  // namespace

int IoThreads::usual() { return std::thread::hardware_concurrency() < kCoresForTwo ? 1 : 2; }

IoThreads::IoThreads(int threads) : io_(threads), work_(io_.get_executor()) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { io_.run(); });
}

void IoThreads::stop() {
  if (threads_.empty()) return;
  io_.stop();
  for (std::thread& thread : std::exchange(threads_, {})) thread.join();
}

void IoThreads::run_ready() {
  if (!threads_.empty()) return;
  io_.restart();
  io_.poll();
}

}  // namespace berth::controller
