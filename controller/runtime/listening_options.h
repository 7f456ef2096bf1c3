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
  app.add_option("--public-url", listening.public_urls,
                 "By which browsers know this server, like https://berth.example; the first one for links")
      ->type_name("URL");
  app.add_option(
         "--app-domain", listening.app_domain,
         "Below which apps of sessions have names, like https://apps.berth.example: a wildcard name and "
         "certificate lead here")
      ->type_name("URL");
  app.add_option("--trusted-proxy", listening.trusted_proxies,
                 "Address of a proxy whose X-Forwarded-For, -Host and -Proto count")
      ->type_name("IP");
  app.add_option("--browser-idle", listening.browser_idle, "A browser is signed out when unused for so long")
      ->capture_default_str()
      ->type_name("TIME");
  app.add_option("--browser-lifetime", listening.browser_lifetime,
                 "A browser is signed out so long after it signed in")
      ->capture_default_str()
      ->type_name("TIME");
  app.add_option("--console", listening.console,
                 "Folder of the built web console (default: console, beside the folder of this program)")
      ->type_name("DIR");
  app.add_option("--metrics-token-file", listening.metrics_token_file,
                 "Who shows the token in this file (mode 0600) as Authorization: Bearer reads /metrics")
      ->type_name("FILE");
  app.add_option("--otlp-url", listening.otlp_url,
                 "Spans of requests and sessions go to this collector, like http://127.0.0.1:4318")
      ->envname("BERTH__TRACING__OTLP_URL")
      ->type_name("URL");
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
