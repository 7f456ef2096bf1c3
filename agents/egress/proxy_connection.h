// ProxyConnection: one connection that a program in a kernel has made to its proxy. It reads what the program
// asks for, dials if that is allowed, and passes bytes both ways.
//
//   kReading --head--> kLookingUp --addresses--> kDialing --connected--> kPassing --both ways ended--> kOver
//        \_________________\_________________________\___ refused: an answer of the proxy's own ___/
//
// An address is judged after its name was looked up, and that very address is dialled. Neither side may make
// it grow: a way is read when all that came before is with the other side, so it holds at most 64 KiB each
// way. The kernel may hold the other end of the very descriptor: nothing here trusts its settings.
// Threads: the one that runs the io_context.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agents/egress/address_rule.h"
#include "agents/egress/allow_list.h"
#include "agents/egress/name_lookup.h"
#include "agents/egress/proxy_request.h"
#include "agents/services/descriptor_watch.h"
#include "events/base/clock.h"
#include "events/base/files/descriptor.h"

namespace berth::agents {

struct EgressLimits {
  Duration head_max = 10 * kSecond;    // until the request is there
  Duration lookup_max = 10 * kSecond;  // of a name
  Duration dial_max = 5 * kSecond;     // an address
  Duration idle_max = 5 * kMinute;     // without a byte either way
  Duration linger_max = 2 * kSecond;   // after an answer of its own, for who reads slowly
  std::size_t of_kernel_max = 64;      // connections of a kernel, at once
  std::size_t open_max = 1024;         // of an agent
};

// Read by any thread.
struct EgressCounts {
  std::atomic<std::uint64_t> connections{0};  // that programs have made
  std::atomic<std::uint64_t> refused{0};      // by the list, by an address, as no request, or as too many
  std::atomic<std::uint64_t> failed{0};       // allowed, and not reached
  std::atomic<std::uint64_t> bytes_out{0}, bytes_in{0};
  std::atomic<std::uint64_t> open{0};
};

class ProxyConnection : public std::enable_shared_from_this<ProxyConnection> {
 public:
  using Over = std::function<void(const std::shared_ptr<ProxyConnection>&)>;

  // `over` is called once, when it has ended by itself. `counts` outlives it.
  ProxyConnection(boost::asio::io_context& io, Descriptor program, const EgressLimits& limits,
                  std::shared_ptr<const AllowList> allowed, LookUp look_up, AddressRule may_dial,
                  EgressCounts& counts, Over over);
  void begin();
  // Answers without reading more than has come: the program is told why.
  void refuse_at_once(const ProxyRefusal& refusal);
  // Ends it at once, without a call of `over`.
  void cut();

 private:
  enum class Phase : std::uint8_t { kReading, kLookingUp, kDialing, kPassing, kOver };
  using Clock = std::chrono::steady_clock;
  using Step = void (ProxyConnection::*)();
  struct Side {
    Descriptor socket;
    std::optional<DescriptorWatch> watch;
  };
  struct Way {
    Side& from;
    Side& to;
    std::atomic<std::uint64_t>& count;
    std::string bytes;
    std::size_t sent = 0;
    bool drops = false;  // what comes is read and goes nowhere
    bool ended = false;  // nothing more comes
    bool over = false;   // the other side has it all
  };

  bool watch(Side& side);
  void read_head();
  void give_up_reading();
  void take(ProxyRequest request);
  void looked_up(const Result<Addresses>& found);
  void dial_next();
  void dialled();
  void pass();
  void refuse(const ProxyRefusal& refusal);
  void fail(const ProxyRefusal& refusal);
  void answer(const ProxyRefusal& refusal);
  void go(Way& way);
  bool send_some(Way& way);
  bool read_some(Way& way);
  void end(Way& way);
  void wait(Side& side, DescriptorWatch::Wait what, std::function<void()> then);
  void limit(Duration most, Step then);
  void look_at_time();
  void end_by_itself();

  boost::asio::io_context& io_;
  const EgressLimits limits_;
  const std::shared_ptr<const AllowList> allowed_;
  const LookUp look_up_;
  const AddressRule may_dial_;
  EgressCounts& counts_;
  Over over_;
  Phase phase_ = Phase::kReading;
  boost::asio::steady_timer timer_;
  std::uint64_t step_ = 0;  // counts what waits of earlier steps, so that it is not heard any more
  Clock::time_point busy_;  // when a byte went last

  std::string head_;
  ProxyRequest request_;
  Addresses addresses_;  // that may be dialled
  std::size_t next_ = 0;
  std::string last_error_;

  Side program_, host_;
  Way out_, in_;
  bool lingers_ = false;
};

}  // namespace berth::agents
