#include "events/codec/writer_secrets.h"

#include "events/base/checks.h"
#include "events/codec/signing.h"

namespace berth {
namespace {

bool is_given_out(std::string_view writer) { return writer.starts_with("agent:") || producer_of(writer); }

bool covers(const WriterSecret& secret, std::string_view writer, std::uint32_t generation) {
  const auto known = secret.up_to.find(writer);
  return known != secret.up_to.end() && generation <= known->second;
}

// The oldest that covers the key, else the newest.
const WriterSecret& secret_of(const std::vector<WriterSecret>& secrets, std::string_view writer,
                              std::uint32_t generation) {
  for (const WriterSecret& secret : secrets)
    if (covers(secret, writer, generation)) return secret;
  return secrets.back();
}

}  // namespace

WriterSecrets::WriterSecrets(std::string cluster_secret, std::vector<WriterSecret> given_out)
    : shared_(std::make_shared<Latest<Known>>(Known{std::move(cluster_secret), std::move(given_out)})) {}

void WriterSecrets::change(std::vector<WriterSecret> given_out) {
  BERTH_CHECK(!empty(), "there is a cluster's secret");
  const Known& known = shared_->get();
  if (known.given_out != given_out)
    shared_->set({known.cluster_secret, std::move(given_out), known.version + 1});
}

std::string WriterSecrets::key_of(std::string_view writer, std::uint32_t generation) const {
  BERTH_CHECK(!empty(), "there is a cluster's secret");
  const Known& known = shared_->get();
  const bool is_servers = known.given_out.empty() || !is_given_out(writer);
  return derive_key(is_servers ? known.cluster_secret : secret_of(known.given_out, writer, generation).secret,
                    writer, generation);
}

bool WriterSecrets::is_of_before(std::string_view writer, std::uint32_t generation) const {
  if (empty() || !is_given_out(writer)) return false;
  const auto& secrets = shared_->get().given_out;
  return secrets.size() > 1 && &secret_of(secrets, writer, generation) != &secrets.back();
}

}  // namespace berth
