#include "ops/cli/up.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>

#include "agents/kernel/backends.h"
#include "agents/runtime/agent_machinery.h"
#include "agents/runtime/agent_runtime.h"
#include "controller/runtime/bootstrap.h"
#include "controller/runtime/controller_process.h"
#include "controller/runtime/journal_owner.h"
#include "events/base/edge_errors.h"
#include "events/base/files/known_folder.h"
#include "events/base/files/private_files.h"
#include "events/base/service/service_notice.h"
#include "events/base/stop_signal.h"
#include "events/base/version.h"
#include "events/codec/image_labels.h"
#include "events/log/open/open_log.h"
#include "events/logs/log_scope.h"
#include "events/logs/log_setup.h"
#include "events/otlp/span_exporter.h"
#include "ops/cli/bug.h"
#include "ops/cli/image/background_build.h"
#include "ops/cli/image/oci_layout.h"
#include "ops/cli/instance.h"
#include "ops/cli/output/terminal_text.h"
#include "ops/cli/stop_words.h"

extern char** environ;

namespace berth {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;  // a unit of systemd does not start again after it
constexpr int kConflict = 5;
constexpr Duration kAnswerWait = 60 * kSecond;
constexpr Duration kUntilItIsThere = 3650 * kDay;  // a stop ends it
constexpr Duration kJoinWait = 20 * kSecond;
constexpr Duration kAliveWait = 10 * kSecond;  // of the agent

int fail(const Error& error) {
  if (logs_json())
    spdlog::error("{}", to_string(error));
  else
    std::fprintf(stderr, "berth up: %s\n", to_string(error).c_str());
  if (is_wrong_option(error)) return kUsage;
  return is_port_in_use(error) ? kConflict : kFailed;
}

int fail_by_options(const Error& error) {
  fail(error);
  return kUsage;
}

// What it says to whoever started it, and no line of its log.
void say_to_people(const std::string& text) {
  std::printf("berth up: %s\n", text.c_str());
  std::fflush(stdout);
}

// Local time, as on a clock on the wall.
void print_session_line(const controller::SessionLine& line) {
  if (logs_json()) {
    const LogScope scope{{"session", line.session}, {"request", line.request}, {"trace", line.trace}};
    spdlog::info("{}", line.text);
    return;
  }
  char time[16] = "        ";
  std::tm parts{};
  const std::time_t seconds = static_cast<std::time_t>(line.time / kSecond);
  if (line.time != 0 && localtime_r(&seconds, &parts) != nullptr)
    std::strftime(time, sizeof time, "%H:%M:%S", &parts);
  std::string text = cli::TerminalText().shown(line.text);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  std::printf("%s %s\n", time, text.c_str());
  std::fflush(stdout);
}

void say(agents::LogLevel level, const std::string& text) {
  if (level == agents::LogLevel::kInfo)
    spdlog::info("agent: {}", text);
  else if (level == agents::LogLevel::kWarning)
    spdlog::warn("agent: {}", text);
  else
    spdlog::error("agent: {}", text);
}

// Images that ops/images/build made: $BERTH_IMAGES, else build/images of the tree that this program was built
// in.
std::string images_folder() {
  if (const char* folder = std::getenv("BERTH_IMAGES")) return folder;
  std::error_code ec;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ec);
  return (self.parent_path().parent_path().parent_path() / "images").string();
}

// With what their layouts say of them. Labels that say nothing valid are left out: such an image has no apps.
std::vector<controller::LocalImage> local_images() {
  auto images = controller::find_local_images(images_folder());
  for (auto& image : images) {
    const auto source = cli::parse_layout_source(image.source);
    if (!source) continue;
    auto said = cli::read_layout_image(*source, image.architecture);
    if (!said) continue;
    image.digest = said->digest;
    std::erase_if(said->labels, [](const auto& label) { return !label.first.starts_with("berth."); });
    if (parse_image_labels(said->labels)) image.labels = std::move(said->labels);
  }
  return images;
}

Result<agents::AgentConfig> agent_config(const UpOptions& options) {
  agents::AgentConfig config;
  // On the embedded log no other agent could start them, so they may wait for this one.
  if (options.log.empty() || options.log.starts_with("local:")) config.times.lease = kLeaseMax;
  std::vector<std::string> variables;
  for (char** one = environ; *one != nullptr; ++one) variables.emplace_back(*one);
  if (auto read = agents::read_agent_environment(variables, config); !read) return read.error();
  config.name = options.name.empty() ? "a1" : options.name;
  config.group = options.group;
  config.data = options.data + "/agent";
  config.backend = options.backend;
  if (!options.process_uid.empty())
    if (auto set = agents::set_agent_key("agent.process_uid", options.process_uid, "--process-uid", config);
        !set)
      return set.error();
  if (!options.runtime.empty()) config.runtime = options.runtime;
  if (!options.reserve_mem.empty())
    if (auto set = agents::set_agent_key("agent.reserve_mem", options.reserve_mem, "--reserve-mem", config);
        !set)
      return set.error();
  if (!options.disk.empty())
    if (auto set = agents::set_agent_key("agent.disk", options.disk, "--disk", config); !set)
      return set.error();
  if (!options.disk_per_kernel.empty())
    if (auto set = agents::set_agent_key("agent.disk_per_kernel", options.disk_per_kernel,
                                         "--disk-per-kernel", config);
        !set)
      return set.error();
  if (!options.egress_allow.empty())
    if (auto set = agents::set_agent_key("egress.allow", options.egress_allow, "--egress-allow", config);
        !set)
      return set.error();
  if (auto set = agents::set_volumes(options.volumes, config); !set) return set.error();
  config.shared_ids = config.shared_ids || options.shared_ids;
  if (!options.accelerator.empty()) config.accelerator = options.accelerator;
  config.end_kernels = options.end_kernels;
  return config;
}

// People have a place for their folders without asking for one. Where that cannot be, Berth runs without.
Result<agents::AgentMachinery> open_machinery(const UpOptions& options, agents::AgentConfig& config) {
  if (!config.volumes.empty() || config.backend != "oci") return agents::open_machinery(config, say);
  const std::string local = options.data + "/volumes/local";
  for (const std::string& folder : {options.data + "/volumes", local})
    if (auto made = make_private_subfolder(folder); !made) return made.error();
  config.volumes = {{"local", local}};
  auto machinery = agents::open_machinery(config, say);
  if (machinery || machinery.error().code != "volume-without-idmaps") return machinery;
  spdlog::warn("people have no folders here: {}", to_string(machinery.error()));
  config.volumes.clear();
  return agents::open_machinery(config, say);
}

struct Logs {
  std::unique_ptr<EventLog> log;
  std::unique_ptr<EventLog> api;  // null: the same
  EventLog& for_api() { return api ? *api : *log; }
};

OpenLog wanted_log(const std::string& url, const UpOptions& options) {
  OpenLog wanted;
  wanted.url = url;
  wanted.kafka_config = options.kafka_config;
  wanted.allow_one_replica = options.allow_one_replica;
  return wanted;
}

Result<Logs> open_logs(const std::string& url, const UpOptions& options) {
  Logs logs;
  OpenLog wanted = wanted_log(url, options);
  auto log = open_log(wanted, options.accept_truncation ? Truncated::kAccept : Truncated::kRefuse);
  if (!log) return log.error();
  logs.log = std::move(*log);
  if (url.starts_with("kafka:")) {
    wanted.producer_timeout = 5 * kSecond;  // HTTP must be able to give up
    auto api = open_log(wanted);
    if (!api) return api.error();
    logs.api = std::move(*api);
  }
  return logs;
}

// Defines what the cluster lacks, and the agent. Returns the generation of the agent's key: an operator may
// have asked for another than the first.
Result<std::uint32_t> bring_in(controller::ControllerProcess& process, const agents::AgentConfig& config,
                               bool alone) {
  // Brokers may be slow or away; a log of its own answers, or has a fault that people have to hear of.
  const Duration wait = alone ? kAnswerWait : kUntilItIsThere;
  auto& api = process.api();
  say_to_people("waiting for the controller");
  if (auto done = process.define_defaults(wait); !done) return done.error();
  if (auto there = controller::check_local_agent(api, config.name, config.group); !there)
    return there.error();
  auto registered = controller::register_images(api, local_images(), wait);
  if (!registered && registered.error().code == "image-label-invalid") {
    spdlog::warn("images of this machine are registered without labels: {}", to_string(registered.error()));
    registered = controller::register_images(api, controller::find_local_images(images_folder()), wait);
  }
  if (!registered) return registered.error();
  return controller::enroll_agent(api, config.name, process.writers(), wait);
}

// What people need to sign in by a browser for the first time; empty if there is no need.
std::string first_login_line(controller::ControllerProcess& process) {
  const auto link = process.offer_login_link(isatty(STDOUT_FILENO) == 1, kAnswerWait);
  if (!link) {
    spdlog::warn("no login link: {}", to_string(link.error()));
    return {};
  }
  return link->empty() ? "" : "  login    " + *link + "  (sets the first password)\n";
}

// To somebody at a terminal, or who reads what a terminal would show: a service has nobody there.
void print_what_next(const UpOptions& options) {
  const std::string data = options.data == "/var/lib/berth" ? "" : " --data " + options.data;
  std::printf(
      "\nTry:\n"
      "  berth%s agent ls\n  berth%s session run --image python:3.11 --cpu 0.5 --mem 256m --wait -- python3 "
      "-c 'print(6*7)'\n"
      "  berth%s event tail\n\nCtrl-C stops it%s.\n",
      data.c_str(), data.c_str(), data.c_str(),
      options.end_kernels ? " and ends its kernels" : "; kernels go on, and the next start adopts them");
}

void print_ready(const UpOptions& options, controller::ControllerProcess& process, bool is_service) {
  const std::string key = process.has_key_file()
                              ? controller::api::admin_key_path(options.data)
                              : "any of its cluster's, by berth --key-file FILE (there is no " +
                                    controller::api::admin_key_path(options.data) + ")";
  const std::string& fingerprint = process.fingerprint();
  const std::string more = first_login_line(process) +
                           (process.has_console() ? "" : "  console  not in this build: the API alone\n") +
                           (fingerprint.empty() ? "" : "  certificate  " + fingerprint + "\n");
  std::printf("Berth %s is up\n  address  %s\n  key      %s\n%s", kVersion, process.endpoint().c_str(),
              key.c_str(), more.c_str());
  if (!is_service) print_what_next(options);
  std::fflush(stdout);
}

// Nothing of this keeps `berth up` from running: who asks for the image is told why it is not there.
void build_image(const UpOptions& options, cli::BackgroundBuild& build) {
  if (options.build_image.empty() || options.backend != "oci") return;
  std::error_code ec;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ec);
  const std::string log = options.data + "/image-build.log";
  const auto started = build.start(
      {self.string(), options.data, options.build_image, options.image_builder, log}, say_to_people);
  say_to_people(started ? "image " + options.build_image + " is built in the background; its log: " + log
                        : to_string(started.error()));
}

// Sessions that have a kernel on this agent, in order of arrival.
HereAtStop sessions_here(controller::ApiContext& api, const std::string& agent, Duration lease) {
  std::map<projections::Position, const projections::SessionRow*> found;
  HereAtStop here;
  here.lease = lease;
  api.with_state([&](const controller::StateView& view) {
    for (const KernelId& id : view.state.kernels_on(agent)) {
      const auto* kernel = view.state.kernels.find(id);
      if (!kernel->holds_slots()) continue;
      const auto* session = view.state.sessions.find(kernel->session);
      found[session->created] = session;
    }
    for (const auto& [created, session] : found)
      (session->spec->spec.requeueable() ? here.leased : here.staying).push_back(session->name);
  });
  return here;
}

int already_running(const Running& running, const UpOptions& asked) {
  const std::string differs = differences(running.options, asked);
  if (differs.empty()) {
    std::printf("Berth is up already (pid %d)\n  address  %s\n  key      %s\n", running.pid,
                running.endpoint.empty() ? "(starting)" : running.endpoint.c_str(),
                controller::api::admin_key_path(asked.data).c_str());
    return 0;
  }
  std::fprintf(stderr,
               "berth up: it runs on %s already (pid %d, %s) with other options:\n%sstop it first (kill %d), "
               "or use another --data\n",
               asked.data.c_str(), running.pid, running.endpoint.c_str(), differs.c_str(), running.pid);
  return kConflict;
}

controller::ControllerProcessConfig process_config_of(const UpOptions& options, const std::string& agent,
                                                      const std::string& url) {
  controller::ControllerProcessConfig config;
  config.data = options.data;
  config.name = agent + "-controller";
  config.listening = options.listening;
  config.log_url = url;
  config.policies = options.policies;
  config.accept_truncation = options.accept_truncation;
  config.alone = url.starts_with("local:");
  if (!config.alone)
    config.look_at_settings = [wanted = wanted_log(url, options)] { return check_log_settings(wanted); };
  config.poison = bug_of_this_build();
  config.on_session_line = print_session_line;
  if (options.quiet) config.on_session_line = [](const controller::SessionLine&) {};
  return config;
}

int serve(const UpOptions& options, Instance& instance, agents::AgentConfig& config,
          agents::AgentMachinery& machinery, ServiceNotice& notice) {
  const std::string url = options.log.empty() ? "local:" + options.data + "/log" : options.log;
  auto logs = open_logs(url, options);
  if (!logs) return fail(logs.error());
  const auto identity = controller::identity_for_log(options.data + "/cluster.json", *logs->log);
  if (!identity) return fail(identity.error());
  if (const auto failed = controller::remember_cluster(options.data, record_of_cluster(options.data),
                                                       identity->cluster, notice.is_service());
      !failed.empty())
    spdlog::warn("{}", failed);

  bool fatal = false;
  controller::ControllerProcessConfig process_config = process_config_of(options, config.name, url);
  process_config.on_fatal = [&fatal](const std::string&) {
    fatal = true;
    ask_to_stop();
  };
  controller::ControllerProcess process(process_config, *identity, *logs->log, logs->for_api());
  if (auto started = process.start(); !started) return fail(started.error());
  const auto generation = bring_in(process, config, process_config.alone);
  if (!generation) return fail(generation.error());

  SystemClock clock;
  SystemRandom random;
  const std::string writer = "agent:" + config.name;
  const Signer signer(identity->cluster, writer, *generation, process.writers().key_of(writer, *generation));
  auto collector = find_collector(options.listening.otlp_url);  // its controller has found it as well
  if (!collector) return fail(collector.error());
  const auto spans = start_exporter(std::move(*collector), {"berth-agent", config.name, kVersion},
                                    [](const std::string& text) { spdlog::warn("agent: {}", text); });
  agents::AgentRuntime agent(
      config, signer,
      {*logs->log, clock, random, *machinery.backend, machinery.images.get(), say, machinery.pump,
       std::move(machinery.registries), machinery.volumes.get(), into(spans)},
      kVersion);
  if (auto started = agent.start(); !started) return fail(started.error());
  // Else the first session that somebody asks for finds no agent.
  if (!agent.await_join(kJoinWait)) spdlog::warn("agent: has not joined yet; sessions wait until then");

  process.later_writes().write("who runs here",
                               [&instance, running = Running{getpid(), process.endpoint(), options}] {
                                 return instance.write(running);
                               });
  process.tell_endpoint();
  print_ready(options, process, notice.is_service());
  cli::BackgroundBuild build;
  build_image(options, build);
  notice.ready("serves " + process.endpoint(),
               [&] { return process.answers() && agent.answers(kAliveWait); });
  wait_for_stop_signal();
  notice.stopping();
  build.stop();
  if (!notice.is_service())
    std::fputs(stop_words(options, sessions_here(process.api(), config.name, config.times.lease)).c_str(),
               stdout);
  std::fflush(stdout);
  if (!fatal && !agent.stop()) spdlog::warn("some kernels did not end in time; the next start goes on");
  process.stop();
  return fatal ? kFailed : 0;
}

// Before anything is made in it.
Result<void> check_data(const std::string& data) {
  if (auto good = controller::check_known_cluster(data, record_of_cluster(data)); !good) return good;
  // A cluster that was restored here goes on with the kernels that it knows.
  if (access((data + "/cluster.json").c_str(), F_OK) == 0) return {};
  return agents::check_left_kernels(data + "/agent");
}

}  // namespace

int run_up(const UpOptions& asked) {
  umask(077);  // the launcher of kernels gives them the usual one again
  UpOptions options = asked;
  std::error_code ec;
  options.data = std::filesystem::absolute(asked.data, ec).lexically_normal().string();
  // For programs the log says how it goes, too; people see that at the lines below.
  if (const auto set =
          set_up_logs({"berth", options.log_format.empty() ? "auto" : options.log_format, "info"});
      !set)
    return fail_by_options(set.error());
  if (!options.verbose && !logs_json()) spdlog::set_level(spdlog::level::warn);
  ServiceNotice notice;  // before any child
  if (auto good = check_data(options.data); !good) return fail(good.error());
  Instance instance;
  Running running;
  const auto taken = instance.take(options.data, running);
  if (!taken) return fail(taken.error());
  if (!*taken) return already_running(running, options);
  if (const auto other = foreign_folder_above(options.data)) spdlog::warn("{}", *other);
  const bool embedded = options.log.empty();  // on Kafka a copied cluster.json makes another controller
  if (auto alone = embedded ? check_original(options.data, running.options.data) : Result<void>(); !alone)
    return fail(alone.error());
  if (auto written = instance.write({getpid(), "", options}); !written)
    spdlog::warn("{}", to_string(written.error()));  // written again once it is up
  auto config = agent_config(options);
  if (!config) return fail_by_options(config.error());
  if (!catch_stop_signals()) return kFailed;
  // The launcher of kernels starts before any library thread exists.
  auto machinery = open_machinery(options, *config);
  if (!machinery) return fail(machinery.error());
  return serve(options, instance, *config, *machinery, notice);
}

}  // namespace berth
