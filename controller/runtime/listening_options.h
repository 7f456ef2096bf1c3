// The command-line options of Listening but the port, for each program that serves the API.
#pragma once

#include <CLI/CLI.hpp>

#include "controller/runtime/listening.h"

namespace berth::controller {

inline void add_listening_options(CLI::App& app, Listening& listening) {
  app.add_option("--address", listening.address, "Address of the HTTP API")
      ->capture_default_str()
      ->type_name("IP");
  app.add_flag("--tls", listening.tls,
               "HTTPS, with a certificate that the server makes in its data folder at the first start");
  app.add_option("--tls-cert", listening.tls_certificate, "HTTPS with this certificate (PEM, with its chain)")
      ->type_name("FILE");
  app.add_option("--tls-key", listening.tls_key, "The certificate's key (PEM)")->type_name("FILE");
  app.add_flag("--insecure-http", listening.insecure_http,
               "HTTP without TLS even on an address that others can reach");
  app.add_option("--connections", listening.connections_max, "Most connections")
      ->capture_default_str()
      ->type_name("N")
      ->check(CLI::Range(2, 1'000'000));
  app.add_option("--connections-per-address", listening.connections_per_address_max,
                 "Most connections from one address")
      ->capture_default_str()
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
}

}  // namespace berth::controller
