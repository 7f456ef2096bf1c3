// DescriptorWatch: waits for a descriptor that another object owns, and is over before that one.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <utility>

namespace berth::agents {

class DescriptorWatch {
 public:
  using Wait = boost::asio::posix::descriptor_base::wait_type;
  using Ready = std::function<void(const boost::system::error_code&)>;

  explicit DescriptorWatch(boost::asio::io_context& io) : descriptor_(io) {}
  ~DescriptorWatch() { descriptor_.release(); }
  DescriptorWatch(const DescriptorWatch&) = delete;
  DescriptorWatch& operator=(const DescriptorWatch&) = delete;

  // False: the machine watches no more descriptors.
  bool watch(int descriptor) {
    boost::system::error_code error;
    descriptor_.assign(descriptor, error);
    return !error;
  }
  void wait(Wait what, Ready ready) { descriptor_.async_wait(what, std::move(ready)); }

 private:
  boost::asio::posix::stream_descriptor descriptor_;
};

}  // namespace berth::agents
