// ControllerProcess: a whole controller in one object: identity, state, node, HTTP API. Used by `berth up`
// and berth-controller.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "controller/api/api.h"
#include "controller/api/http/server.h"
#include "controller/policy_host/policy_folder.h"
#include "controller/runtime/api_node.h"
#include "controller/runtime/cluster_identity.h"
#include "controller/runtime/keeping/key_keeper.h"
#include "controller/runtime/listening.h"
#include "controller/runtime/past_keeper.h"
#include "controller/runtime/sessions/session_lines.h"
#include "controller/runtime/sessions/session_spans.h"
#include "events/base/files/later_writes.h"
#include "events/base/secrets.h"
#include "events/base/system_clock.h"
#include "events/otlp/span_exporter.h"
#include "projections/store/rocks/rocks_store.h"

namespace berth::controller {

struct ControllerProcessConfig {
  std::string data = "/var/lib/berth";
  std::string name = "c1";
  Listening listening;
  std::string log_url;             // for people
  std::string cluster_file;        // where the identity stands; empty: cluster.json of `data`
  std::string policies;            // folder of custom selection policies; empty: none
  bool alone = false;              // the embedded log: there can be no other controller
  bool accept_truncation = false;  // the log may end before what was read of it (P26)
  std::function<void(const std::string&)> on_fatal;
  SettingsWatch::Look look_at_settings;  // of the log's streams; empty: there are none
  // Starts, ends and refusals of sessions, of the leader; on a thread of its own, may be slow. Empty: they
  // are lines of the log.
  SessionLines::Take on_session_line;
  std::function<bool(const v1::Request&)> poison;  // ControllerConfig's, for tests alone
};

class ControllerProcess {
 public:
  // `log`, the leader's, never gives an append up; `api_log`, for HTTP, gives up early. Both may be the same.
  ControllerProcess(ControllerProcessConfig config, ClusterIdentity identity, EventLog& log,
                    EventLog& api_log);
  ~ControllerProcess() { stop(); }

  // Codes: those of the store, the projection, the log, the key file, check_sealing_keys() and the HTTP
  // server.
  Result<void> start();
  void stop();
  // Returns true once the state and the health can be read; does not return while a thread of ours hangs with
  // one of them. A log or a leader that is away is none of this: a restart would not bring it back.
  bool answers();

  // Asks for the definitions that the cluster lacks (bootstrap.h). Where no superadmin can sign in, a first
  // key pair is made and written to the data folder's key file. REQUIRES: started. Codes: those of
  // await_journal(), check_sealing_keys(), define_defaults() and the key file.
  Result<void> define_defaults(Duration wait);

  // For as long as no superadmin has a password: the login link by which the first sets one, or, where no
  // terminal shows it, the file that it was left in. Empty: there is no need, or the cluster's first server,
  // which has the key file, does it, or the file is one of later_writes(). REQUIRES: define_defaults().
  // Codes: those of first_login_link().
  Result<std::string> offer_login_link(bool on_terminal, Duration wait);

  // Leaves berth.endpoint in the data folder until stop(). REQUIRES: started.
  void tell_endpoint();
  // What the server can go on without. Ends with stop().
  LaterWrites& later_writes() { return later_; }

  ApiContext& api() { return *api_node_; }
  // Of the keys of agents and producers; follows the file.
  const WriterSecrets& writers() const { return writers_; }
  // Whether the data folder has a key file; a cluster's other controllers need none.
  bool has_key_file() const { return file_key_.has_value(); }
  // "https://127.0.0.1:7410"; after start().
  const std::string& endpoint() const { return endpoint_; }
  // Of its certificate, "sha256:..."; empty without TLS.
  const std::string& fingerprint() const { return fingerprint_; }
  bool has_console() const { return has_console_; }

 private:
  ControllerConfig controller_config() const;
  CellNodeConfig node_config();
  Result<void> watch_sessions();
  void on_answer(const api::Call& call, unsigned status);
  Result<void> read_certificate_end(const api::ServerOptions& at, ApiNodeConfig& api) const;
  void make_api_node(const ApiNodeConfig& api);
  Result<void> read_key_file();
  Result<void> write_key_file();
  void tell_key_file();
  Result<void> define_missing(Duration wait);
  Result<void> serve(const api::ServerOptions& at, const api::ApiOptions& options);

  ControllerProcessConfig config_;
  ClusterIdentity identity_;
  WriterSecrets writers_;
  EventLog& log_;
  EventLog& api_log_;
  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<projections::RocksStore> store_;
  std::unique_ptr<PastKeeper> past_;
  std::unique_ptr<policy::PolicyFolder> policies_;
  std::unique_ptr<SpanExporter> spans_;  // null: no spans are made
  std::unique_ptr<SessionSpans> session_spans_;
  std::unique_ptr<SessionLines> lines_;  // with what else the node tells: before it
  std::unique_ptr<SettingsWatch> settings_;
  std::unique_ptr<LogScrub> scrub_;
  IoThreads io_{IoThreads::usual()};  // of the API server, and of its tunnels
  std::unique_ptr<CellNode> node_;
  std::unique_ptr<ApiNode> api_node_;
  std::unique_ptr<KeyKeeper> keys_;
  std::unique_ptr<api::Api> api_;
  std::unique_ptr<api::Server> server_;
  std::optional<api::KeyPair> file_key_;  // of the data folder
  std::string endpoint_, fingerprint_, public_origin_;
  bool has_console_ = false, told_endpoint_ = false;
  LaterWrites later_;
};

}  // namespace berth::controller
