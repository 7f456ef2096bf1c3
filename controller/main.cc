// berth-controller: a controller of a cluster on Kafka. Any number may run: one leads, the others stand by.
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "controller/runtime/allocator.h"
#include "controller/runtime/bootstrap.h"
#include "controller/runtime/controller_process.h"
#include "controller/runtime/journal_owner.h"
#include "controller/runtime/listening_options.h"
#include "events/base/edge_errors.h"
#include "events/base/files/known_folder.h"
#include "events/base/files/private_files.h"
#include "events/base/files/standard_streams.h"
#include "events/base/service/last_words.h"
#include "events/base/service/service_notice.h"
#include "events/base/stop_signal.h"
#include "events/base/version.h"
#include "events/log/open/open_log.h"
#include "events/logs/log_setup.h"
#include "events/otlp/collector.h"

namespace {

using namespace berth;  // NOLINT: one program, one namespace

// A log that is slow or away is waited for: a stop ends that.
constexpr Duration kUntilItIsThere = 3650 * kDay;

int fail(const Error& error) {
  if (logs_json())
    spdlog::error("{}", to_string(error));
  else
    std::fprintf(stderr, "berth-controller: %s\n", to_string(error).c_str());
  return is_wrong_option(error) ? 2 : 1;
}

int run(const controller::ControllerProcessConfig& config, const std::string& cluster_file, OpenLog wanted) {
  ServiceNotice notice;
  umask(077);
  const std::string known = record_of_cluster(config.data);
  if (cluster_file.empty())
    if (auto good = controller::check_known_cluster(config.data, known); !good) return fail(good.error());
  if (auto made = make_private_folder(config.data); !made) return fail(made.error());
  if (const auto other = foreign_folder_above(config.data)) spdlog::warn("{}", *other);
  wanted.url = config.log_url;
  auto log = open_log(wanted, config.accept_truncation ? Truncated::kAccept : Truncated::kRefuse);
  if (!log) return fail(log.error());
  const auto identity = cluster_file.empty()
                            ? controller::identity_for_log(config.data + "/cluster.json", **log)
                            : controller::read_cluster_identity(cluster_file);
  if (!identity) return fail(identity.error());
  if (cluster_file.empty())
    if (const auto failed =
            controller::remember_cluster(config.data, known, identity->cluster, notice.is_service());
        !failed.empty())
      spdlog::warn("{}", failed);
  wanted.producer_timeout = 5 * kSecond;  // HTTP must be able to give up
  auto api_log = open_log(wanted);
  if (!api_log) return fail(api_log.error());
  if (!catch_stop_signals()) return 1;
  controller::ControllerProcessConfig with_end = config;
  bool fatal = false;
  with_end.cluster_file = cluster_file;
  with_end.look_at_settings = [wanted] { return check_log_settings(wanted); };
  with_end.on_fatal = [&fatal](const std::string&) {
    fatal = true;
    ask_to_stop();
  };
  controller::ControllerProcess process(with_end, *identity, **log, **api_log);
  if (auto started = process.start(); !started) return fail(started.error());
  if (auto defined = process.define_defaults(kUntilItIsThere); !defined)
    spdlog::warn("{}", to_string(defined.error()));
  process.tell_endpoint();
  std::printf("berth-controller %s serves %s, %s\n", config.name.c_str(), process.endpoint().c_str(),
              process.has_key_file() ? ("key in " + controller::api::admin_key_path(config.data)).c_str()
                                     : "with the key pairs of its cluster");
  if (!process.fingerprint().empty())
    std::printf("certificate %s (clients elsewhere: --fingerprint)\n", process.fingerprint().c_str());
  if (const auto link = process.offer_login_link(isatty(STDOUT_FILENO) == 1, kUntilItIsThere); !link)
    spdlog::warn("no login link: {}", to_string(link.error()));
  else if (!link->empty())
    std::printf("login %s (sets the first password)\n", link->c_str());
  std::fflush(stdout);
  notice.ready("serves " + process.endpoint(), [&process] { return process.answers(); });
  wait_for_stop_signal();
  notice.stopping();
  process.stop();
  return fatal ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  say_last_words("berth-controller");
  CLI::App app{
      "A controller of a Berth cluster: follows the journal, serves the HTTP API, leads when elected."};
  app.set_version_flag("--version", kVersion);
  controller::ControllerProcessConfig config;
  std::string cluster_file;
  app.add_option("--log", config.log_url, "The cluster's event log: kafka://HOST:PORT[,HOST:PORT]")
      ->required();
  LogOptions logs{"controller"};
  app.add_option("--log-format", logs.format, "Log lines: json, text, or auto: text on a terminal")
      ->envname("BERTH__LOGGING__FORMAT")
      ->capture_default_str();
  app.add_option("--log-level", logs.level,
                 "trace, debug, info, warning or error; SIGUSR1 logs a step more, SIGUSR2 a step less")
      ->envname("BERTH__LOGGING__LEVEL")
      ->capture_default_str();
  OpenLog wanted;
  app.add_option("--kafka-config", wanted.kafka_config,
                 "Kafka's SASL and TLS: a file of librdkafka's properties, mode 0600 (ops/kafka/README.md)")
      ->envname("BERTH__LOG__KAFKA_CONFIG");
  app.add_flag(
      "--allow-one-replica", wanted.allow_one_replica,
      "Take a Kafka of one broker, or topics of one replica: a lost disk takes what was acknowledged");
  app.add_option("--data", config.data, "Folder of its state and keys")->capture_default_str();
  app.add_option("--name", config.name, "Its name, unique in the cluster")->capture_default_str();
  app.add_option("--port", config.listening.port, "Port of the HTTP API, 0: any")->capture_default_str();
  controller::add_listening_options(app, config.listening);
  app.add_option("--policies", config.policies,
                 "Folder of shared libraries that select agents (groups of select custom)")
      ->envname("BERTH__SCHEDULER__POLICIES");
  app.add_flag("--accept-truncation", config.accept_truncation,
               "Start although the log lost records that were read: they are given up");
  app.add_option(
      "--cluster-file", cluster_file,
      "cluster.json of another controller of the same cluster (default: one of its own in --data)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) { return app.exit(e) == 0 ? 0 : 2; }
  if (const auto set = set_up_logs(logs); !set) return fail(set.error()), 2;
  if (const auto collector = find_collector(config.listening.otlp_url); !collector)
    return fail(collector.error()), 2;
  if (config.log_url.starts_with("local:")) {
    spdlog::error("the embedded log belongs to one process: use `berth up`");
    return 2;
  }
  return run(config, cluster_file, wanted);
}
