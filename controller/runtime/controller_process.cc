#include "controller/runtime/controller_process.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "controller/api/auth/host_key.h"
#include "controller/api/console/static_files.h"
#include "controller/api/login/sign_in.h"
#include "controller/runtime/bootstrap.h"
#include "controller/runtime/endpoint_file.h"
#include "controller/runtime/first_login.h"
#include "controller/runtime/journal_owner.h"
#include "events/base/files/private_files.h"
#include "events/base/secrets.h"
#include "events/base/version.h"
#include "events/logs/log_scope.h"

namespace berth::controller {

namespace {

// Before the node has loaded what it knows, nothing is new.
constexpr Timestamp kNothingYet = INT64_MAX;
constexpr Duration kLowerEndPatience = 10 * kSecond;

void log_session_line(const SessionLine& line) {
  const LogScope scope{{"session", line.session}, {"request", line.request}, {"trace", line.trace}};
  spdlog::info("{}", line.text);
}

// A line a call, for who wants to see them: the level is debug.
void log_call(const api::Call& call, unsigned status) {
  if (status != 500 && !spdlog::should_log(spdlog::level::debug)) return;
  const LogScope scope{{"request", to_string(call.id)},
                       {"trace", call.trace ? to_hex(as_view(call.trace->trace)) : std::string()}};
  spdlog::log(status == 500 ? spdlog::level::err : spdlog::level::debug, "{} {} {}", call.request.method,
              call.route == nullptr ? "no route" : call.route->pattern, status);
}

}  // namespace

ControllerProcess::ControllerProcess(ControllerProcessConfig config, ClusterIdentity identity, EventLog& log,
                                     EventLog& api_log)
    : config_(std::move(config)),
      identity_(std::move(identity)),
      writers_(identity_.secret, identity_.writers),
      log_(log),
      api_log_(api_log),
      later_([](const std::string& text) { spdlog::warn("{}", text); }) {}

ControllerConfig ControllerProcess::controller_config() const {
  ControllerConfig controller;
  controller.cluster = identity_.cluster;
  controller.secret = identity_.secret;
  controller.writers = writers_;
  controller.environments = EnvironmentSeal(identity_.cluster, identity_.sealing);
  controller.heads = HeadSigner(identity_.cluster, identity_.sealing);
  controller.head_seed = random_bytes(kHeadSeedBytes);
  controller.name = config_.name;
  controller.machine = boot_id();
  controller.layout = log_.layout();
  controller.stand_at_once = config_.alone;
  controller.poison = config_.poison;
  return controller;
}

CellNodeConfig ControllerProcess::node_config() {
  CellNodeConfig node;
  node.controller = controller_config();
  policies_ =
      std::make_unique<policy::PolicyFolder>(config_.policies, policy::policy_host_beside_self(),
                                             [](const std::string& line) { spdlog::warn("{}", line); });
  node.controller.policies = policies_.get();
  node.projector.build = kVersion;
  node.voids_file = config_.data + "/state/voids";
  node.truncation_file = config_.data + "/state/truncation";
  if (!config_.alone && !config_.accept_truncation) node.lower_end_patience = kLowerEndPatience;
  node.follower = {config_.accept_truncation, config_.log_url, config_.data + "/state"};
  return node;
}

Result<void> ControllerProcess::start() {
  auto server_options = server_options_of(config_.listening, config_.data);  // first: it raises a limit
  if (!server_options) return server_options.error();
  if (auto ours = check_journal_owner(log_, identity_.cluster, identity_.secret); !ours) return ours;
  if (auto made = make_private_subfolder(config_.data + "/state"); !made) return made;
  auto store = projections::RocksStore::open(config_.data + "/state");
  if (!store) return store.error();
  for (const auto& warning : store->warnings) spdlog::warn("{}", to_string(warning));
  store_ = std::move(store->store);
  past_ = std::make_unique<PastKeeper>(config_.data + "/state/past", identity_.cluster, *store_);

  const CellNodeConfig node = node_config();
  node_ = std::make_unique<CellNode>(node, log_, past_->store(), clock_, random_);
  if (config_.on_fatal) node_->set_on_fatal(config_.on_fatal);
  if (auto watched = watch_sessions(); !watched) return watched;
  ApiNodeConfig api{identity_.cluster,
                    identity_.secret,
                    node.controller.environments,
                    KeyPairSeal(identity_.cluster, identity_.sealing),
                    PasswordSeal(identity_.cluster, identity_.sealing),
                    api::AppPassSeal(identity_.cluster, identity_.sealing),
                    config_.name,
                    config_.log_url,
                    kVersion,
                    log_.layout()};
  api.writers = writers_;
  api.heads = node.controller.heads;
  api.policies = policies_.get();
  api.spans = spans_.get();
  api.io = &io_;
  settings_ = std::make_unique<SettingsWatch>(config_.look_at_settings);
  api.settings = settings_.get();
  scrub_ = std::make_unique<LogScrub>(api_log_, clock_);
  api.scrub = scrub_.get();
  api.state_folder = config_.data + "/state";
  if (auto read = read_certificate_end(*server_options, api); !read) return read;
  make_api_node(api);

  if (auto read = read_key_file(); !read) return read;
  api::ApiOptions options;
  options.file_key = file_key_;
  options.host_secret = api::host_secret_key(identity_.secret);
  auto sign_in = sign_in_options_of(config_.listening, *server_options);
  if (!sign_in) return sign_in.error();
  options.sign_in = std::move(*sign_in);
  auto metrics_token = metrics_token_of(config_.listening);
  if (!metrics_token) return metrics_token.error();
  options.metrics_token = std::move(*metrics_token);
  auto console = console_of(config_.listening);
  if (!console) return console.error();
  options.console = *console;
  has_console_ = (*console)->has_console();
  options.makes_spans = spans_ != nullptr;
  options.on_answer = [this](const api::Call& call, unsigned status) { on_answer(call, status); };
  if (auto started = node_->start(); !started) return started;
  const Timestamp since = node_->header_time();
  lines_->begin(since);
  if (session_spans_) session_spans_->begin(since);
  keys_->start();
  settings_->start();
  scrub_->start();
  if (auto opens = check_sealing_keys(*api_node_); !opens) return opens;
  if (auto fit = fit_connections(*server_options); !fit) return fit;
  if (auto serving = serve(*server_options, options); !serving) return serving;
  tell_key_file();
  return {};
}

// The pair is there: the endpoint beside it is for the CLI.
void ControllerProcess::tell_key_file() {
  if (!file_key_) return;
  file_key_->endpoint = endpoint_;
  later_.write(api::admin_key_path(config_.data), [data = config_.data, endpoint = endpoint_] {
    if (!api::read_key_file(api::admin_key_path(data))) return Result<void>();  // somebody took it away
    const auto key = api::load_or_create_admin_key(data, endpoint);
    return key ? Result<void>() : Result<void>(key.error());
  });
}

void ControllerProcess::tell_endpoint() {
  told_endpoint_ = true;
  later_.write("the endpoint", [data = config_.data, endpoint = endpoint_, fingerprint = fingerprint_] {
    return write_endpoint_file(data, endpoint, fingerprint);
  });
}

void ControllerProcess::on_answer(const api::Call& call, unsigned status) {
  log_call(call, status);
  if (spans_) take_spans_of(call, status, clock_.now(), [this](Span span) { spans_->add(std::move(span)); });
}

Result<void> ControllerProcess::read_certificate_end(const api::ServerOptions& at, ApiNodeConfig& api) const {
  if (!at.tls) return {};
  const auto end = api::end_of_certificate(at.tls->certificate);
  if (!end) return end.error();
  api.certificate_end = *end;
  if (const auto check = certificate_check(*end, clock_.now().wall); !check.detail.empty())
    spdlog::warn("{}: {}", at.tls->certificate, check.detail);
  return {};
}

// Before the node starts: from its first record on.
Result<void> ControllerProcess::watch_sessions() {
  auto collector = find_collector(config_.listening.otlp_url);
  if (!collector) return collector.error();
  const auto leads = [this] { return node_->leading(); };
  lines_ = std::make_unique<SessionLines>(
      kNothingYet, leads, config_.on_session_line ? config_.on_session_line : log_session_line);
  node_->add_watch(lines_.get());
  lines_->start();
  spans_ = start_exporter(std::move(*collector), {"berth", config_.name, kVersion},
                          [](const std::string& text) { spdlog::warn("{}", text); });
  if (!spans_) return {};
  session_spans_ = std::make_unique<SessionSpans>(kNothingYet, leads, into(spans_));
  node_->add_watch(session_spans_.get());
  return {};
}

void ControllerProcess::make_api_node(const ApiNodeConfig& api) {
  api_node_ = std::make_unique<ApiNode>(api, *node_, api_log_, *store_, clock_, random_);
  api_node_->set_past(&past_->start(*node_, api_log_, JournalSigner(identity_.cluster, identity_.secret)));
  keys_ = std::make_unique<KeyKeeper>(
      config_.cluster_file.empty() ? config_.data + "/cluster.json" : config_.cluster_file, *api_node_,
      identity_.sealing, writers_);
  api_node_->set_on_record([this](const v1::Record& record) { keys_->on_record(record); });
}

// Opens the port, and says under which names it is known.
Result<void> ControllerProcess::serve(const api::ServerOptions& at, const api::ApiOptions& options) {
  api_ = std::make_unique<api::Api>(*api_node_, options);
  api_->start();
  auto server = api::Server::start(at, *api_, &io_);
  if (!server) return server.error();
  server_ = std::move(*server);
  endpoint_ = endpoint_of(at, server_->port());
  if (at.tls) {
    auto fingerprint = api::fingerprint_of_file(at.tls->certificate);
    if (!fingerprint.ok()) return fingerprint.error();
    fingerprint_ = *fingerprint;
  }
  public_origin_ = config_.listening.public_urls.empty() ? endpoint_ : options.sign_in.origins.front();
  return {};
}

// Not ready meanwhile. A refusal is told and ends that: it would be the same for ever.
Result<void> ControllerProcess::define_defaults(Duration wait) {
  api_node_->set_defining(true);
  auto defined = define_missing(wait);
  api_node_->set_defining(false);
  return defined;
}

Result<void> ControllerProcess::define_missing(Duration wait) {
  if (auto read = await_journal(*api_node_, wait); !read) return read;
  if (auto opens = check_sealing_keys(*api_node_); !opens) return opens;
  if (!file_key_ && !has_superadmin_key(*api_node_))
    if (auto written = write_key_file(); !written) return written;
  if (!file_key_)
    spdlog::info("there is no {}, and none is made: the cluster's log has a superadmin's key pair already",
                 api::admin_key_path(config_.data));
  return controller::define_defaults(*api_node_, file_key_, wait);
}

Result<std::string> ControllerProcess::offer_login_link(bool on_terminal, Duration wait) {
  if (!file_key_) return std::string();
  auto link = first_login_link(*api_node_, public_origin_, config_.data, wait);
  if (!link) return link;
  if (on_terminal && !link->empty()) return link;
  const bool kept = later_.write("the login link",
                                 [data = config_.data, text = *link] { return keep_login_link(data, text); });
  return link->empty() || !kept ? std::string() : login_link_path(config_.data);
}

Result<void> ControllerProcess::read_key_file() {
  auto key = api::read_key_file(api::admin_key_path(config_.data));
  if (!key) return key.error().code == "key-file-missing" ? Result<void>() : Result<void>(key.error());
  file_key_ = std::move(*key);
  // Whoever owns the folder could have put the file there.
  return make_private_folder(config_.data + "/keys");
}

// With the endpoint, and a fresh pair where there is none.
Result<void> ControllerProcess::write_key_file() {
  auto key = api::load_or_create_admin_key(config_.data, endpoint_);
  if (!key) return key.error();
  file_key_ = std::move(*key);
  return {};
}

bool ControllerProcess::answers() {
  api_node_->with_state([](const StateView&) {});
  return !api_node_->ready().empty();
}

void ControllerProcess::stop() {
  later_.stop();
  if (std::exchange(told_endpoint_, false)) remove_endpoint_file(config_.data);
  if (server_) server_->stop();
  if (api_) api_->stop();
  if (keys_) keys_->stop();
  if (api_node_) api_node_->stop();
  if (past_) past_->stop_desk();
  if (node_) node_->stop();
  if (scrub_) scrub_->stop();
  if (settings_) settings_->stop();  // after a leader has handed over: a look under way takes seconds
  if (past_) past_->stop();
  if (lines_) lines_->stop();
  if (spans_) spans_->stop();
  server_.reset();
}

}  // namespace berth::controller
