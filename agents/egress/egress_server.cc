#include "agents/egress/egress_server.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <map>
#include <thread>
#include <utility>

#include "agents/egress/kernel_egress.h"
#include "agents/kernel/kernel_name.h"

namespace berth::agents {

class EgressServer::Impl {
 public:
  Impl(EgressLimits limits, LookUp look_up, AddressRule may_dial,
       std::function<void(const std::string&)> warn)
      : shared_{io_,
                limits,
                std::move(look_up),
                std::move(may_dial),
                std::move(warn),
                std::make_shared<AllowList>(),
                {}},
        thread_([this] { io_.run(); }) {}
  ~Impl() { stop(); }

  void allow(AllowList list) {
    post([this, list = std::make_shared<const AllowList>(std::move(list))] { shared_.allowed = list; });
  }
  void open(const KernelKey& kernel, std::string door, std::uint16_t port) {
    post([this, kernel, door = std::move(door), port] {
      auto& egress = kernels_[kernel];
      if (egress) return;
      egress = std::make_shared<KernelEgress>(shared_, kernel_name(kernel), door, port);
      egress->open();
    });
  }
  void close(const KernelKey& kernel) {
    post([this, kernel] {
      const auto found = kernels_.find(kernel);
      if (found == kernels_.end()) return;
      found->second->close();
      kernels_.erase(found);
    });
  }
  const EgressCounts& counts() const { return shared_.counts; }
  void stop() {
    if (!thread_.joinable()) return;
    boost::asio::post(io_, [this] {
      for (const auto& [kernel, egress] : kernels_) egress->close();
      kernels_.clear();
      io_.stop();
    });
    thread_.join();
  }

 private:
  template <class Task> void post(Task task) { boost::asio::post(io_, std::move(task)); }

  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  KernelEgress::Shared shared_;
  std::map<KernelKey, std::shared_ptr<KernelEgress>> kernels_;  // of the thread
  std::thread thread_;
};

EgressServer::EgressServer(EgressLimits limits, LookUp look_up, AddressRule may_dial,
                           std::function<void(const std::string&)> warn)
    : impl_(std::make_unique<Impl>(limits, std::move(look_up), std::move(may_dial), std::move(warn))) {}
EgressServer::~EgressServer() = default;
void EgressServer::allow(AllowList list) { impl_->allow(std::move(list)); }
void EgressServer::open(const KernelKey& kernel, std::string door, std::uint16_t port) {
  impl_->open(kernel, std::move(door), port);
}
void EgressServer::close(const KernelKey& kernel) { impl_->close(kernel); }
const EgressCounts& EgressServer::counts() const { return impl_->counts(); }
void EgressServer::stop() { impl_->stop(); }

}  // namespace berth::agents
