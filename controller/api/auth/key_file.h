// The superadmin's key pair: made at the first start of a cluster, kept in <data>/keys/admin.json of that
// server, found by the CLI. The journal has it too, sealed, for all servers of the cluster.
#pragma once

#include <string>

#include "events/base/result.h"

namespace berth::controller::api {

struct KeyPair {
  std::string access_key;  // "BK" and 20 characters
  std::string secret_key;  // 43 characters, used as text
  std::string endpoint;    // "http://127.0.0.1:7410", may be empty
};

// A fresh one, without an endpoint.
KeyPair new_key_pair();

// <data>/keys/admin.json
std::string admin_key_path(const std::string& data_folder);

// Codes: key-file-malformed (not that JSON), and those of read_private_file().
Result<KeyPair> read_key_file(const std::string& path);

// Its folder is made if it is missing. Codes: those of make_private_folder() and write_private_file().
Result<void> write_key_file(const std::string& path, const KeyPair& key);

// The pair of that data folder; a fresh one where there is none. A malformed file is an error, never
// overwritten.
Result<KeyPair> load_or_create_admin_key(const std::string& data_folder);

// The same with this endpoint noted in the file (rewritten only when it differs).
Result<KeyPair> load_or_create_admin_key(const std::string& data_folder, const std::string& endpoint);

}  // namespace berth::controller::api
