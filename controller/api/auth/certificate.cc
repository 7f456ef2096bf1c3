#include "controller/api/auth/certificate.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>

#include "controller/api/auth/signature.h"
#include "events/base/files/private_files.h"

namespace berth::controller::api {
namespace {

constexpr long kDays = 3650;
constexpr std::string_view kPrefix = "sha256:";

template <auto Free> struct Freer {
  template <class T> void operator()(T* object) const { Free(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freer<X509_EXTENSION_free>>;
using Bio = std::unique_ptr<BIO, Freer<BIO_free>>;

bool is_address(const std::string& name) {
  unsigned char bytes[16];
  return ::inet_pton(AF_INET, name.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

bool add_extension(X509& certificate, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, &certificate, &certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()));
  return extension && X509_add_ext(&certificate, extension.get(), -1) == 1;
}

bool set_serial(X509& certificate) {
  BIGNUM* const number = BN_new();
  const bool done = number != nullptr && BN_rand(number, 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
                    BN_to_ASN1_INTEGER(number, X509_get_serialNumber(&certificate)) != nullptr;
  BN_free(number);
  return done;
}

// Signed by its own key; null if OpenSSL fails.
Certificate make_certificate(EVP_PKEY& key, const std::vector<std::string>& names) {
  Certificate made(X509_new());
  if (!made || !set_serial(*made)) return nullptr;
  std::string alternatives;
  for (const std::string& name : names)
    alternatives += (alternatives.empty() ? "" : ",") + std::string(is_address(name) ? "IP:" : "DNS:") + name;
  X509_set_version(made.get(), X509_VERSION_3);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -60 * 60);  // clocks differ
  X509_time_adj_ex(X509_getm_notAfter(made.get()), kDays, 0, nullptr);
  X509_set_pubkey(made.get(), &key);
  X509_NAME* const subject = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("berth"), -1,
                             -1, 0);
  X509_set_issuer_name(made.get(), subject);
  const bool done = add_extension(*made, NID_subject_alt_name, alternatives) &&
                    add_extension(*made, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                    add_extension(*made, NID_ext_key_usage, "serverAuth") &&
                    X509_sign(made.get(), &key, EVP_sha256()) > 0;
  return done ? std::move(made) : nullptr;
}

// Null if it is none. Only of a real file: to open a FIFO would wait for its writer.
Certificate read_certificate(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return nullptr;
  const Bio file(BIO_new_file(path.c_str(), "r"));
  Certificate certificate(file ? PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr) : nullptr);
  ERR_clear_error();
  return certificate;
}

Error unreadable(const std::string& path) {
  return make_error("certificate-unreadable", path + " holds no certificate in PEM",
                    "a file with -----BEGIN CERTIFICATE-----, the server's own first");
}

std::string text_of(BIO& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(&bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

}  // namespace

Result<CertificateFiles> load_or_create_certificate(const std::string& data_folder,
                                                    const std::vector<std::string>& names) {
  const std::string folder = data_folder + "/keys";
  CertificateFiles files{folder + "/tls.crt", folder + "/tls.key"};
  if (auto made = make_private_folder(folder); !made.ok()) return made.error();
  const auto found = read_private_file(files.key, "tls-key", "");
  if (!found.ok() && found.error().code != "tls-key-missing") return found.error();
  const bool has_certificate = std::filesystem::exists(files.certificate);
  if (found.ok() && has_certificate) return files;
  if (found.ok() || has_certificate)
    return make_error(
        "certificate-incomplete",
        "there is " + (found.ok() ? files.key + " without " + files.certificate
                                  : files.certificate + " without " + files.key),
        "restore it: clients know this server by the certificate's fingerprint; or remove the other "
        "too, and tell all clients the fingerprint of the certificate that is made then");
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = key ? make_certificate(*key, names) : nullptr;
  const Bio key_text(BIO_new(BIO_s_mem())), certificate_text(BIO_new(BIO_s_mem()));
  if (!certificate || !key_text || !certificate_text ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1 ||
      PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1)
    return make_error("certificate-failed", "OpenSSL could not make a certificate",
                      "make one yourself: --tls-cert FILE --tls-key FILE");
  if (auto written = write_private_file(files.key, text_of(*key_text), "tls-key"); !written.ok())
    return written.error();
  if (auto written = write_private_file(files.certificate, text_of(*certificate_text), "tls-certificate");
      !written.ok())
    return written.error();
  return files;
}

Result<void> check_key_of_certificate(const std::string& key_file) {
  struct stat info {};
  if (::stat(key_file.c_str(), &info) != 0)
    return make_error("tls-key-unreadable", key_file + ": " + std::strerror(errno),
                      "--tls-key takes a file in PEM");
  if (!S_ISREG(info.st_mode))
    return make_error("tls-key-unreadable", key_file + " is no file", "--tls-key takes a file in PEM");
  if (info.st_uid != 0 && info.st_uid != ::geteuid())
    return make_error("tls-key-foreign", key_file + " belongs to another user",
                      "whoever owns it can impersonate this server");
  const mode_t too_open = info.st_uid == 0 ? 037 : 077;
  if ((info.st_mode & too_open) != 0)
    return make_error("tls-key-open", key_file + " may be read or written by others than its owner",
                      "chmod 600 " + key_file);
  return {};
}

Result<std::string> fingerprint_of_file(const std::string& certificate_file) {
  const Certificate certificate = read_certificate(certificate_file);
  unsigned char* der = nullptr;
  const int size = certificate ? i2d_X509(certificate.get(), &der) : -1;
  if (size < 0) return unreadable(certificate_file);
  const std::string fingerprint =
      fingerprint_of({reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)});
  OPENSSL_free(der);
  return fingerprint;
}

Result<Timestamp> end_of_certificate(const std::string& certificate_file) {
  const Certificate certificate = read_certificate(certificate_file);
  std::tm end{};
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1)
    return unreadable(certificate_file);
  return static_cast<Timestamp>(::timegm(&end)) * kSecond;
}

std::string fingerprint_of(std::string_view der) { return std::string(kPrefix) + sha256_hex(der); }

bool is_fingerprint(std::string_view text) {
  if (!text.starts_with(kPrefix) || text.size() != kPrefix.size() + 64) return false;
  text.remove_prefix(kPrefix.size());
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace berth::controller::api
