// The server's certificate: an operator's own, or one that the server made for itself, which clients know by
// its fingerprint.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "events/base/clock.h"
#include "events/base/result.h"

namespace berth::controller::api {

struct CertificateFiles {
  std::string certificate;  // PEM, the chain, the server's own first
  std::string key;          // PEM
};

// <data>/keys/tls.crt and tls.key, made if there is none: P-256, 10 years, for these names and addresses.
// Where one of the two is missing nothing is made: clients know the server by the fingerprint. Codes:
// certificate-incomplete, certificate-failed, and those of make_private_folder(), read_private_file() and
// write_private_file().
Result<CertificateFiles> load_or_create_certificate(const std::string& data_folder,
                                                    const std::vector<std::string>& names);

// Whether the file may hold an operator's own key: a file, nobody but its owner may read it, and of root's
// file a group. Codes: tls-key-unreadable, tls-key-open, tls-key-foreign (neither this user's nor root's).
Result<void> check_key_of_certificate(const std::string& key_file);

// "sha256:" and 64 hex digits, of the file's first certificate. Code: certificate-unreadable.
Result<std::string> fingerprint_of_file(const std::string& certificate_file);

// Until when the file's first certificate is good, wall time. Code: certificate-unreadable.
Result<Timestamp> end_of_certificate(const std::string& certificate_file);

// The fingerprint of a certificate in DER.
std::string fingerprint_of(std::string_view der);

// Whether the text is a fingerprint as above.
bool is_fingerprint(std::string_view text);

}  // namespace berth::controller::api
