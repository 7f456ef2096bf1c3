#include "ops/cli/keeping/original.h"

#include <fcntl.h>
#include <sys/file.h>

#include <chrono>

#include "controller/api/auth/host_key.h"
#include "events/base/files/descriptor.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(4);
constexpr Code kDenied403 = "denied";

Failure answers(const std::string& where) {
  return {kConflict,
          "original-answers",
          "the cluster that this backup was taken of still runs: " + where,
          "stop its controllers for good first: two clusters of one identity would each order its agents",
          {}};
}

// The host's key pair is good for login links alone: who refuses anything else by it has checked the
// signature, and so has the cluster's secret.
Outcome<bool> ask(Shell& shell, const Server& server, const controller::ClusterIdentity& identity) {
  HttpRequest request;
  request.target = "/v1/cluster";
  make_signer(
      server,
      {std::string(controller::api::kHostAccessKey), controller::api::host_secret_key(identity.secret)},
      shell.world().now)(request);
  const auto transport = shell.world().connect(server, false);
  const auto reply = transport->call(request, std::chrono::steady_clock::now() + kPatience);
  if (!reply) {
    shell.note("nothing answers at " + server.endpoint.value + " (" + reply.error().code + "): good");
    return true;
  }
  boost::system::error_code ec;
  const auto body = boost::json::parse(reply->body, ec);
  if (!ec && reply->status == 403 && code_at(body, "code") == kDenied403)
    return answers(server.endpoint.value + " answers");
  shell.note("what answers at " + server.endpoint.value + " is not the cluster of this backup");
  return true;
}

// The embedded log of the original, if it lies on this machine.
Outcome<bool> check_lock(const Manifest& manifest, const controller::ClusterIdentity& identity) {
  constexpr std::string_view kLocal = "local:";
  if (!manifest.log.starts_with(kLocal)) return true;
  const std::string dir = manifest.log.substr(kLocal.size());
  const auto known = controller::read_cluster_identity(dir + "/../cluster.json");
  if (!known || known->cluster != identity.cluster) return true;
  const Descriptor lock(::open((dir + "/lock").c_str(), O_RDONLY | O_CLOEXEC));
  if (lock && ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0)
    return answers("a process holds its log in " + dir);
  return true;
}

}  // namespace

Outcome<bool> check_original(Shell& shell, const Manifest& manifest,
                             const controller::ClusterIdentity& identity,
                             const std::vector<std::string>& more) {
  if (auto free = check_lock(manifest, identity); !free) return free;
  if (auto server = parse_endpoint({manifest.endpoint, Origin::kDefault, "the backup"})) {
    server->fingerprint = manifest.fingerprint;
    if (auto gone = ask(shell, *server, identity); !gone) return gone;
  }
  for (const std::string& url : more) {
    const auto server = parse_endpoint({url, Origin::kFlag, "--original"});
    if (!server) return server.failure();
    if (auto gone = ask(shell, *server, identity); !gone) return gone;
  }
  return true;
}

}  // namespace berth::cli
