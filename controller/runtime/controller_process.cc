#include "controller/runtime/controller_process.h"

#include <spdlog/spdlog.h>

#include "controller/api/auth/host_key.h"
#include "controller/api/console/static_files.h"
#include "controller/api/login/sign_in.h"
#include "controller/runtime/bootstrap.h"
#include "controller/runtime/first_login.h"
#include "controller/runtime/journal_owner.h"
#include "events/base/files/private_files.h"
#include "events/base/version.h"

namespace berth::controller {

ControllerProcess::ControllerProcess(ControllerProcessConfig config, ClusterIdentity identity, EventLog& log,
                                     EventLog& api_log)
    : config_(std::move(config)), identity_(std::move(identity)), log_(log), api_log_(api_log) {}

Result<void> ControllerProcess::start() {
  auto server_options = server_options_of(config_.listening, config_.data);  // first: it raises a limit
  if (!server_options) return server_options.error();
  if (auto ours = check_journal_owner(log_, identity_.cluster, identity_.secret); !ours) return ours;
  if (auto made = make_private_subfolder(config_.data + "/state"); !made) return made;
  auto store = projections::RocksStore::open(config_.data + "/state");
  if (!store) return store.error();
  for (const auto& warning : store->warnings) spdlog::warn("{}", to_string(warning));
  store_ = std::move(store->store);

  CellNodeConfig node;
  node.controller.cluster = identity_.cluster;
  node.controller.secret = identity_.secret;
  node.controller.environments = EnvironmentSeal(identity_.cluster, identity_.sealing);
  node.controller.name = config_.name;
  node.controller.layout = log_.layout();
  node.controller.stand_at_once = config_.alone;
  policies_ =
      std::make_unique<policy::PolicyFolder>(config_.policies, policy::policy_host_beside_self(),
                                             [](const std::string& line) { spdlog::warn("{}", line); });
  node.controller.policies = policies_.get();
  node.projector.build = kVersion;
  node.signed_from_first = identity_.signs_journal;
  node.voids_file = config_.data + "/state/voids";
  node.truncation_file = config_.data + "/state/truncation";
  node.follower = {config_.accept_truncation, config_.log_url, config_.data + "/state"};
  node_ = std::make_unique<CellNode>(node, log_, *store_, clock_, random_);
  if (config_.on_fatal) node_->set_on_fatal(config_.on_fatal);
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
  api.policies = policies_.get();
  if (server_options->tls) {
    const auto end = api::end_of_certificate(server_options->tls->certificate);
    if (!end) return end.error();
    api.certificate_end = *end;
    if (const auto check = certificate_check(*end, clock_.now().wall); !check.detail.empty())
      spdlog::warn("{}: {}", server_options->tls->certificate, check.detail);
  }
  api_node_ = std::make_unique<ApiNode>(api, *node_, api_log_, *store_, clock_, random_);

  if (auto read = read_key_file(); !read) return read;
  api::ApiOptions options;
  options.file_key = file_key_;
  options.host_secret = api::host_secret_key(identity_.secret);
  auto sign_in = sign_in_options_of(config_.listening, *server_options);
  if (!sign_in) return sign_in.error();
  options.sign_in = std::move(*sign_in);
  auto console = console_of(config_.listening);
  if (!console) return console.error();
  options.console = *console;
  has_console_ = (*console)->has_console();
  if (auto started = node_->start(); !started) return started;
  if (auto opens = check_sealing_keys(*api_node_); !opens) return opens;
  if (auto serving = serve(*server_options, options); !serving) return serving;
  return file_key_ ? write_key_file() : Result<void>();
}

// Opens the port, and says under which names it is known.
Result<void> ControllerProcess::serve(const api::ServerOptions& at, const api::ApiOptions& options) {
  api_ = std::make_unique<api::Api>(*api_node_, options);
  api_->start();
  auto server = api::Server::start(at, *api_);
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

Result<void> ControllerProcess::define_defaults(Duration wait) {
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
  if (auto kept = keep_login_link(config_.data, *link); !kept) return kept.error();
  return link->empty() ? std::string() : login_link_path(config_.data);
}

Result<void> ControllerProcess::read_key_file() {
  auto key = api::read_key_file(api::admin_key_path(config_.data));
  if (key)
    file_key_ = std::move(*key);
  else if (key.error().code != "key-file-missing")
    return key.error();
  return {};
}

// With the endpoint, and a fresh pair where there is none.
Result<void> ControllerProcess::write_key_file() {
  auto key = api::load_or_create_admin_key(config_.data, endpoint_);
  if (!key) return key.error();
  file_key_ = std::move(*key);
  return {};
}

void ControllerProcess::stop() {
  if (server_) server_->stop();
  if (api_) api_->stop();
  if (api_node_) api_node_->stop();
  if (node_) node_->stop();
  server_.reset();
}

}  // namespace berth::controller
