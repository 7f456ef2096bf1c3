// The definitions that a new cluster starts with. The first process that misses them asks for them, by
// requests like any other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/api/api_context.h"
#include "controller/api/auth/key_file.h"

namespace berth::controller {

struct LocalImage {
  std::string reference;                           // "python:3.11"
  std::string source;                              // "oci:/path:tag"
  std::string architecture;                        // "x86_64"
  std::string digest = {};                         // of what the source has now; empty: it is not known
  std::map<std::string, std::string> labels = {};  // "berth.apps"
};

// Submits a request of the controller itself, complete but for id, actor and times, until it is answered: at
// most for `wait`, and until a stop of the program is asked for. Codes: not-ready, and those of its refusal.
Result<void> ask(ApiContext& api, v1::Request request, Duration wait);
// Waits until the state holds all that the journal held when asked, so that what it lacks is not there.
// Tries again while the log is out of reach. Codes: not-ready, and those of read_raw_journal() that do not
// pass.
Result<void> await_journal(ApiContext& api, Duration wait);
// Whether a superadmin's key pair, with its secret, is in force.
bool has_superadmin_key(ApiContext& api);
// Defines slot types, resource group `default`, domain, project and user `default` / `admin`, and the admin's
// key pair if one is given. Idempotent: asks only for definitions that the state lacks, and for none that was
// removed. Waits for the answers, at most `wait`. Codes: those of ask().
Result<void> define_defaults(ApiContext& api, const std::optional<api::KeyPair>& admin_key, Duration wait);
// Registers the images that differ from those registered, but for those that were removed. Labels that an
// image is registered with stay, and its digest follows its source if it is registered with one.
Result<void> register_images(ApiContext& api, const std::vector<LocalImage>& images, Duration wait);
// Whether `berth up` may bring this agent into this group: its name was not removed, and the group exists.
// Where there is no group at all the agent comes up all the same, so that one can be made. Codes:
// name-retired, unknown-group.
Result<void> check_local_agent(ApiContext& api, const std::string& agent, const std::string& group);
// The generation of the agent's key that is in force; the agent is enrolled if it was not, or only with a key
// of a secret that is being given up. Codes as above.
Result<std::uint32_t> enroll_agent(ApiContext& api, const std::string& agent, const WriterSecrets& writers,
                                   Duration wait);

// OCI layouts below a folder: <folder>/<name> with its tags. Entries that are no layout are left out.
std::vector<LocalImage> find_local_images(const std::string& folder);

}  // namespace berth::controller
