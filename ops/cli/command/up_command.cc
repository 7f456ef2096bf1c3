// berth up
#include "controller/runtime/listening_options.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/image/find_builder.h"
#include "ops/cli/up.h"

namespace berth::cli {
namespace {

void add_volume_options(CLI::App& up, UpOptions& options) {
  up.add_option("--volume", options.volumes,
                "A folder of this machine that holds people's folders (default local=DATA/volumes/local)")
      ->type_name("NAME=PATH")
      ->allow_extra_args(false);
  up.add_flag("--shared-ids", options.shared_ids,
              "Take volumes whose file system has no id maps (README: what that loses)");
}

void add_runtime_option(CLI::App& up, UpOptions& options) {
  up.add_option("--runtime", options.runtime,
                "The container runtime: runc or crun, or its path (default runc, else crun)")
      ->type_name("PROGRAM");
}

void add_amount_options(CLI::App& up, UpOptions& options) {
  up.add_option("--reserve-mem", options.reserve_mem,
                "Memory kept for the machine itself (default a sixteenth, from 512m to 8g)")
      ->type_name("AMOUNT");
  up.add_option("--disk", options.disk,
                "What its kernels may write together, e.g. 200g (default: nine tenths of what is free)")
      ->type_name("AMOUNT");
  up.add_option(
        "--disk-per-kernel", options.disk_per_kernel,
        "What a container may write where its session and group say nothing, e.g. 10g; sessions can ask "
        "for no disk then, unless --disk is given too")
      ->type_name("AMOUNT");
}

void add_log_options(CLI::App& up, UpOptions& options) {
  up.add_flag("-v,--verbose", options.verbose, "Log more");
  up.add_flag("--quiet", options.quiet, "Leave out the lines of sessions that start, end or are refused");
  up.add_option("--log-format", options.log_format,
                "Lines of its log, on stderr: json, text, or auto: text on a terminal (default auto)")
      ->type_name("FORMAT")
      ->check(one_of({"auto", "json", "text"}));
}

// Where no flag says it.
void read_settings(const Settings& settings, UpOptions& options) {
  const auto read = [&](const char* key, std::string& value) {
    if (const auto setting = settings.get(key); setting && value.empty()) value = setting->value;
  };
  if (const auto data = settings.get("data.dir")) options.data = data->value;
  read("tracing.otlp_url", options.listening.otlp_url);
  read("logging.format", options.log_format);
  read("scheduler.policies", options.policies);
}

}  // namespace

void add_up_command(Registry& registry) {
  auto options = std::make_shared<UpOptions>();
  auto* up = registry.verb(nullptr, "up",
                           "Run a whole Berth on this machine: controller, agent and API in one process");
  up->add_option("--data", registry.options.data, "State, keys and images (default /var/lib/berth)")
      ->type_name("DIR");
  up->add_option("--port", options->listening.port, "Port of the HTTP API")
      ->capture_default_str()
      ->type_name("N")
      ->check(CLI::Range(1, 65535));
  up->add_option("--accelerator", options->accelerator,
                 "mock:GPUSxSHARES[,mem=8g,sm=80]: mock GPUs, each cut into so many shares")
      ->type_name("SPEC");
  up->add_option("--log", options->log, "kafka://HOST:PORT instead of the embedded log")->type_name("URL");
  up->add_option("--kafka-config", options->kafka_config,
                 "Kafka's SASL and TLS: a file of librdkafka's properties, mode 0600 (ops/kafka/README.md)")
      ->envname("BERTH__LOG__KAFKA_CONFIG")
      ->type_name("FILE");
  up->add_flag("--allow-one-replica", options->allow_one_replica,
               "Take a Kafka of one broker: a lost disk takes what was acknowledged");
  auto* end = up->add_flag("--end-kernels", options->end_kernels,
                           "End kernels when it stops; else they go on, and the next start adopts them");
  up->add_flag("--keep-kernels")->group("")->excludes(end);  // of older scripts: what is done anyway
  up->add_option("--backend", options->backend, "oci (containers), process (no root, no image) or fake")
      ->capture_default_str()
      ->type_name("KIND")
      ->check(one_of({"oci", "process", "fake"}));
  up->add_option("--process-uid", options->process_uid,
                 "The user of process kernels; root has to name one, e.g. 65534")
      ->type_name("UID[:GID]");
  add_runtime_option(*up, *options);
  add_amount_options(*up, *options);
  up->add_option("--egress-allow", options->egress_allow,
                 "What kernels with egress reach, or none (default: the registries of pip, npm and apt here)")
      ->type_name("NAME:PORT,...");
  add_volume_options(*up, *options);
  up->add_option("--name", options->name, "Name of the agent (default a1)");
  up->add_option("--group", options->group, "Resource group of the agent")->capture_default_str();
  up->add_option("--policies", options->policies,
                 "Folder of shared libraries that select agents (groups of select custom)")
      ->type_name("DIR");
  up->add_option("--build-image", options->build_image,
                 "Build this image in the background, like jupyter; sessions that ask for it wait")
      ->type_name("NAME");
  up->add_option("--image-builder", options->image_builder,
                 "Program that makes it (default ops/images/build of this program's repository)")
      ->type_name("PROGRAM");
  controller::add_listening_options(*up, options->listening);
  up->add_flag("--accept-truncation", options->accept_truncation,
               "Start although the log lost records that were read: they are given up");
  add_log_options(*up, *options);
  registry.on(up,
              "  berth up --data ~/berth --port 7500 --accelerator mock:1x2\n"
              "  berth up --log kafka://127.0.0.1:9092 --allow-one-replica --end-kernels",
              [options](Shell& shell) -> Outcome<int> {
                if (!options->build_image.empty()) {
                  auto builder = find_image_builder(shell, options->image_builder);
                  if (!builder) return builder.failure();
                  options->image_builder = std::move(*builder);
                }
                read_settings(shell.settings(), *options);
                return run_up(*options);
              });
}

}  // namespace berth::cli
