#include "bench/app/http_part.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>

#include "bench/app/app_client.h"
#include "bench/app/browser.h"
#include "bench/app/byte_relay.h"
#include "bench/tools.h"

namespace berth::bench {
namespace {

constexpr std::uint16_t kAppPort = 8000;     // of berth-bench-served
constexpr std::uint64_t kSmallBytes = 1024;  // of a small body
constexpr std::uint64_t kTripsATurn = 500;

// A way to the app: its port on this machine, and what each measurement found there.
struct Way {
  std::uint16_t port = 0;
  std::vector<double> requests_per_s, get_mib_per_s, post_mib_per_s;
  std::vector<std::int64_t> trips_ns;
  std::vector<double> request_cpu_us, get_cpu_ms_per_mib, post_cpu_ms_per_mib;  // of Berth
};

class HttpPart {
 public:
  HttpPart(const HttpPartOptions& o, const BerthUp& up)
      : o_(o), up_(up), session_(up.run_session("app", "2", "256m")) {
    up.berth({"cp", built("berth-bench-served"), session_ + ":/home/work/served"});
    served_ = up.start_berth({"exec", session_, "--", "/home/work/served"});
    agent_ =
        std::make_unique<ByteRelay>(kAppPort, "/proc/" + std::to_string(up.kernel_pid(session_)) + "/ns/net");
    api_ = std::make_unique<ByteRelay>(agent_->port());
    fields_ = Browser(up).open_app(session_, kAppPort);
    berth_.port = up.port();
    relays_.port = api_->port();
  }
  ~HttpPart() {
    end_process(served_);
    up_.berth({"session", "end", session_, "--wait"});
  }
  HttpPart(const HttpPart&) = delete;

  void measure() {
    const std::string request = AppClient::get_request(fields_, kSmallBytes);
    for (std::uint64_t turn = 0; turn < o_.turns; ++turn)
      for (Way* way : {&berth_, &relays_}) {
        const double idle = up_.cpu_seconds();
        way->requests_per_s.push_back(load(way->port, o_.connections, {request}, o_.seconds).per_s);
        const double asked = up_.cpu_seconds();
        way->get_mib_per_s.push_back(move_bodies(*way, &AppClient::get));
        const double got = up_.cpu_seconds();
        way->post_mib_per_s.push_back(move_bodies(*way, &AppClient::post));
        const double mib = static_cast<double>(o_.body_mib);
        way->request_cpu_us.push_back((asked - idle) * 1e6 / (way->requests_per_s.back() * o_.seconds));
        way->get_cpu_ms_per_mib.push_back((got - asked) * 1e3 / mib);
        way->post_cpu_ms_per_mib.push_back((up_.cpu_seconds() - got) * 1e3 / mib);
        std::cerr << (way == &berth_ ? "berth: " : "relays: ") << way->requests_per_s.back()
                  << " requests/s, " << way->get_mib_per_s.back() << " MiB/s out, "
                  << way->post_mib_per_s.back() << " MiB/s in\n";
      }
    measure_trips();
  }

  void tell(Report& report) {
    const auto pair = [&](const std::string& name, const std::vector<double>& ours,
                          const std::vector<double>& theirs) {
      report.figures.emplace_back(name + "_per_s", json(median(ours)));
      report.figures.emplace_back("relays_" + name + "_per_s", json(median(theirs)));
      report.figures.emplace_back(name + "_ratio", json(median(ours) / median(theirs)));
    };
    pair("requests", berth_.requests_per_s, relays_.requests_per_s);
    pair("body_out_mib", berth_.get_mib_per_s, relays_.get_mib_per_s);
    pair("body_in_mib", berth_.post_mib_per_s, relays_.post_mib_per_s);
    // What a busy machine changes least.
    report.figures.emplace_back("request_cpu_us", json(median(berth_.request_cpu_us)));
    report.figures.emplace_back("body_out_cpu_ms_per_mib", json(median(berth_.get_cpu_ms_per_mib)));
    report.figures.emplace_back("body_in_cpu_ms_per_mib", json(median(berth_.post_cpu_ms_per_mib)));
    for (auto* way : {&berth_, &relays_}) {
      const std::string name = way == &berth_ ? "echo_" : "relays_echo_";
      report.figures.emplace_back(name + "p50_ms", json(percentile_ms(way->trips_ns, 500)));
      report.figures.emplace_back(name + "p99_ms", json(percentile_ms(way->trips_ns, 990)));
    }
    report.ceiling_what = "two byte relays in the places of API server and agent, in turn with ours";
    report.ceiling_per_s = median(relays_.requests_per_s);
    report.ratio = median(berth_.requests_per_s) / report.ceiling_per_s;
  }

 private:
  double move_bodies(const Way& way, void (AppClient::*move)(std::uint64_t)) const {
    AppClient client(way.port, fields_);
    (client.*move)(kSmallBytes);  // the way is open
    const Stopwatch watch;
    (client.*move)(o_.body_mib << 20);
    return static_cast<double>(o_.body_mib) / watch.seconds();
  }

  // By turns on both, so that what else the machine does meets both.
  void measure_trips() {
    AppClient berth(berth_.port, fields_), relays(relays_.port, fields_);
    berth.upgrade();
    relays.upgrade();
    for (std::uint64_t gone = 0; gone < o_.trips; gone += kTripsATurn)
      for (auto& [client, way] : {std::pair(&berth, &berth_), std::pair(&relays, &relays_)})
        for (std::uint64_t i = gone; i < std::min(o_.trips, gone + kTripsATurn); ++i) {
          const std::int64_t began = now_ns();
          client->echo();
          way->trips_ns.push_back(now_ns() - began);
        }
  }

  const HttpPartOptions o_;
  const BerthUp& up_;
  const std::string session_;
  pid_t served_ = 0;
  std::unique_ptr<ByteRelay> agent_, api_;
  std::string fields_;
  Way berth_, relays_;
};

}  // namespace

void measure_http(const HttpPartOptions& options, const BerthUp& up, Report& report) {
  HttpPart part(options, up);
  part.measure();
  part.tell(report);
}

}  // namespace berth::bench
