#include "ops/cli/shell.h"

#include <cstdlib>

#include "controller/api/auth/signature.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/times.h"

namespace berth::cli {

// COLUMNS beats the terminal's own width, and counts for a file or a pipe too: nothing sets it for others by
// itself.
int width_of(const World& world) {
  const auto asked =
      integer_at(boost::json::object{{"columns", world.environment("COLUMNS").value_or("")}}, "columns");
  if (asked >= 20 && asked <= 10'000) return static_cast<int>(asked);
  return world.out_is_terminal ? world.columns : 0;
}

Shell::~Shell() { end_status(); }

Outcome<bool> Shell::prepare() {
  Flags flags;
  for (const auto& [key, value] :
       {std::pair<const char*, const std::string&>{"api.endpoint", options_.endpoint},
        {"api.key_file", options_.key_file},
        {"api.ca", options_.ca},
        {"api.fingerprint", options_.fingerprint},
        {"data.dir", options_.data},
        {"output.format", options_.output},
        {"output.color", options_.color}})
    if (!value.empty()) flags[key] = value;
  const auto config = world_.read_config(world_.config_path);
  if (!config) return config.failure();
  auto settings =
      Settings::load(flags, world_.environment, world_.environment_names, world_.config_path, *config);
  if (!settings) return settings.failure();
  settings_ = std::move(*settings);
  const auto known = contexts();
  if (!known) return known.failure();
  if (const Context* context = known->find_current())
    settings_.add_context(settings_of(*context), contexts_path(world_.config_path));

  const auto format = parse_format(settings_.get("output.format")->value);
  if (!format) return format.failure();
  style_.format = *format;
  style_.headers = !options_.no_headers;
  style_.terminal = world_.out_is_terminal;
  style_.columns_max = width_of(world_);
  style_.utc_offset = world_.utc_offset;
  const Setting color = *settings_.get("output.color");
  if (color.value != "auto" && color.value != "always" && color.value != "never")
    return usage_failure("'" + color.value + "' (" + color.where + ") is no choice of colour",
                         "auto, always or never");
  // NO_COLOR is older than our own setting and beats all but an explicit flag.
  style_.color = color.value == "always" || (color.value == "auto" && world_.out_is_terminal);
  if (world_.no_color && color.origin != Origin::kFlag) style_.color = false;
  return true;
}

Outcome<Api*> Shell::api() {
  if (api_) return api_.get();
  const auto server = find_server(settings_, world_.read_file);
  if (!server) return server.failure();
  const auto credentials = find_credentials(settings_, world_.read_key);
  if (!credentials) return credentials.failure();
  return connect(*server, make_signer(*server, *credentials, world_.now));
}

Outcome<Api*> Shell::api_without_key() {
  const auto server = find_server(settings_, world_.read_file);
  if (!server) return server.failure();
  return connect(*server, [host = server->host + ":" + server->port](HttpRequest& request) {
    request.headers.emplace_back("Host", host);
  });
}

Api* Shell::api_of(const Server& server, const Credentials& credentials) {
  return connect(server, make_signer(server, credentials, world_.now));
}

// Ages are told by the cluster's time, where this machine's clock is another.
Timestamp Shell::now() const {
  constexpr Duration kSame = 2 * kSecond;
  if (!is_past()) {
    const Timestamp here = world_.now();
    const auto told = api_ != nullptr ? api_->cluster_time() : std::nullopt;
    return told && std::abs(*told - here) > kSame ? *told : here;
  }
  if (api_ != nullptr && api_->moment()) return *api_->moment();
  return parse_time(moment(options_.at)).value_or(world_.now());
}

std::string Shell::moment(const std::string& text) const {
  const auto at = clock_moment(text, world_.now(), style_.utc_offset);
  return at ? format_time(*at) : text;
}

Outcome<SignedSocket> Shell::make_socket() {
  if (!options_.at.empty()) return no_past_failure();
  const auto server = find_server(settings_, world_.read_file);
  if (!server) return server.failure();
  const auto credentials = find_credentials(settings_, world_.read_key);
  if (!credentials) return credentials.failure();
  return SignedSocket{world_.make_socket(*server), make_signer(*server, *credentials, world_.now)};
}

Outcome<Server> Shell::server() const { return find_server(settings_, world_.read_file); }

Outcome<Contexts> Shell::contexts() const {
  const std::string path = contexts_path(world_.config_path);
  const auto text = world_.read_private(path);
  if (!text) return text.failure();
  return *text ? read_contexts(path, **text) : Outcome<Contexts>(Contexts());
}

Outcome<bool> Shell::keep(const Contexts& contexts) {
  const auto written = world_.write_private(contexts_path(world_.config_path), to_text(contexts));
  if (written) return true;
  return Failure{kFailed, written.error().code, written.error().message, written.error().hint, {}};
}

Api* Shell::connect(const Server& server, RequestSigner sign) {
  transport_ = world_.connect(server, catch_signals_);
  ApiOptions options;
  options.new_key = world_.new_key;
  options.at = moment(options_.at);
  options.note = [this](const std::string& text) { note(text); };
  api_ = std::make_unique<Api>(*transport_, std::move(sign), std::move(options));
  return api_.get();
}

void Shell::note(const std::string& text) {
  if (quiet()) return;
  end_status();
  err() << printable(text) << std::endl;
}

void Shell::status(const std::string& text) {
  if (quiet() || text == last_status_) return;
  if (world_.err_is_terminal)
    err() << "\r\x1b[K" << printable(text) << std::flush;
  else
    err() << printable(text) << std::endl;
  last_status_ = text;
}

void Shell::end_status() {
  if (last_status_.empty()) return;
  if (world_.err_is_terminal) err() << std::endl;
  last_status_.clear();
}

RequestSigner make_signer(const Server& server, const Credentials& credentials,
                          std::function<Timestamp()> now) {
  const std::string host = server.host + ":" + server.port;
  return [host, credentials, now = std::move(now)](HttpRequest& request) {
    namespace api = controller::api;
    const std::string date = format_time(now() / kSecond * kSecond);
    std::string content_type, idempotency_key;
    for (const auto& [name, value] : request.headers) {
      if (name == "Content-Type") content_type = value;
      if (name == "Idempotency-Key") idempotency_key = value;
    }
    const std::string version(api::kApiVersion);
    const std::string body_hash =
        request.body_hash.empty() ? api::sha256_hex(request.body) : request.body_hash;
    api::SignedRequest text;
    text.method = request.method;
    text.target = request.target;
    text.date = date;
    text.host = host;
    text.content_type = content_type;
    text.version = version;
    text.idempotency_key = idempotency_key;
    text.body_hash = body_hash;
    request.headers.emplace_back("Host", host);
    request.headers.emplace_back("X-Berth-Date", date);
    request.headers.emplace_back("X-Berth-Version", version);
    request.headers.emplace_back("X-Berth-Content-SHA256", body_hash);
    request.headers.emplace_back(
        "Authorization",
        api::authorization_header(credentials.access_key, api::sign(credentials.secret_key, text)));
  };
}

namespace {

const char* title_of(ExitCode exit) {
  switch (exit) {
    case kOk: return "Ok";
    case kFailed: return "Failed";
    case kUsage: return "Wrong usage";
    case kNotFound: return "Not found";
    case kDenied: return "Denied";
    case kConflict: return "Conflict";
    case kUnreachable: return "Unreachable";
    case kTimeout: return "Timeout";
    case kPending: return "Pending";
    case kProgramNotRunnable: return "Program not runnable";
    case kProgramNotFound: return "Program not found";
  }
  return "Failed";
}

boost::json::value problem_of(const Failure& failure) {
  if (!failure.problem.empty()) return boost::json::parse(failure.problem);
  boost::json::object problem{{"type", "urn:berth:error:" + failure.code},
                              {"title", title_of(failure.exit)},
                              {"code", failure.code.word()},
                              {"detail", failure.message}};
  if (!failure.hint.empty()) problem["hint"] = failure.hint;
  return problem;
}

}  // namespace

void print_failure(std::ostream& err, const Failure& failure, Format format, bool color) {
  if (format == Format::kJson || format == Format::kJsonl || format == Format::kYaml) {  // JSON is YAML, too
    err << one_line_json(problem_of(failure)) << std::endl;
    return;
  }
  const std::string head = color ? "\x1b[31mberth:\x1b[0m " : "berth: ";
  err << head << (failure.code.empty() || failure.is_usage() ? "" : printable(failure.code.word()) + ": ");
  std::string_view rest = failure.message;
  for (bool first = true; !rest.empty(); first = false) {  // a message may have lines; each is printed safely
    const auto end = rest.find('\n');
    err << (first ? "" : "\n") << printable(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  err << "\n";
  if (!failure.hint.empty()) err << "  hint: " << printable(failure.hint) << "\n";
  if (!failure.request_id.empty()) err << "  request: " << printable(failure.request_id) << "\n";
  err.flush();
}

}  // namespace berth::cli
