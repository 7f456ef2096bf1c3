#include "events/tunnel/tls_memory.h"

#include <algorithm>
#include <cstring>

namespace berth::tunnel {

struct TlsMemory::Method {
  static TlsMemory& of(BIO* bio) { return *static_cast<TlsMemory*>(BIO_get_data(bio)); }

  static int read(BIO* bio, char* to, int size) {
    BIO_clear_retry_flags(bio);
    std::string_view& coming = of(bio).coming;
    const std::size_t count = std::min(coming.size(), static_cast<std::size_t>(std::max(size, 0)));
    if (count == 0) {
      BIO_set_retry_read(bio);
      return -1;
    }
    std::memcpy(to, coming.data(), count);
    coming.remove_prefix(count);
    return static_cast<int>(count);
  }
  static int write(BIO* bio, const char* from, int size) {
    BIO_clear_retry_flags(bio);
    of(bio).leaving.append(from, static_cast<std::size_t>(std::max(size, 0)));
    return size;
  }
  static long control(BIO* bio, int what, long, void*) {
    switch (what) {
      case BIO_CTRL_FLUSH: return 1;
      case BIO_CTRL_PENDING: return static_cast<long>(of(bio).coming.size());
      case BIO_CTRL_WPENDING: return static_cast<long>(of(bio).leaving.size());
      default: return 0;
    }
  }

  // For all connections, and never freed: a connection may be the last to end.
  static const BIO_METHOD* get() {
    static const BIO_METHOD* const made = [] {
      BIO_METHOD* const method =
          BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "the tunnel's memory");
      if (method != nullptr) {
        BIO_meth_set_read(method, &read);
        BIO_meth_set_write(method, &write);
        BIO_meth_set_ctrl(method, &control);
      }
      return method;
    }();
    return made;
  }
};

BIO* TlsMemory::open() {
  BIO* const bio = Method::get() == nullptr ? nullptr : BIO_new(Method::get());
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace berth::tunnel
