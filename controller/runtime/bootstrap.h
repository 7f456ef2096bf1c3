// What a new cluster starts with: asked for as requests like any other, by the first process that finds it
// missing.
#pragma once

#include <string>
#include <vector>

#include "controller/api/api_context.h"

namespace berth::controller {

struct LocalImage {
  std::string reference;     // "python:3.11"
  std::string source;        // "oci:/path:tag"
  std::string architecture;  // "x86_64"
};

// Slot types, resource group `default`, domain, project and user `default` / `admin`, the admin's key pair.
// Idempotent: asks only for what the state lacks. Waits until it is answered, at most `wait`. Codes:
// not-ready, and those of submit().
Result<void> define_defaults(ApiContext& api, const std::string& admin_key_id, Duration wait);
// Images that differ from what is registered.
Result<void> register_images(ApiContext& api, const std::vector<LocalImage>& images, Duration wait);
// Makes the agent's key at `generation` the current one, if it is not.
Result<void> enroll_agent(ApiContext& api, const std::string& agent, std::uint32_t generation, Duration wait);

// OCI layouts below a folder: <folder>/<name> with its tags. What is no layout is left out.
std::vector<LocalImage> find_local_images(const std::string& folder);

}  // namespace berth::controller
