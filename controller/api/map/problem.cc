#include "controller/api/map/problem.h"

#include <utility>

#include "events/base/checks.h"

namespace berth::controller::api {
namespace {

struct CodeStatus {
  std::string_view code;
  unsigned status;
};

// Everything else is the sender's fault: 400.
constexpr CodeStatus kStatuses[] = {
    {"credential-missing", 401},
    {"credential-malformed", 401},
    {"unknown-key", 401},
    {"bad-signature", 401},
    {"signature-outdated", 401},
    {"stale-date", 401},
    {"key-inactive", 401},
    {"token-not-valid", 401},
    {"key-expired", 401},
    {"user-disabled", 401},
    {"producer-disabled", 401},
    {"signed-out", 401},
    {"login-failed", 401},
    {"link-not-valid", 401},
    {"app-not-open", 401},
    {"pass-invalid", 401},
    {"ticket-expired", 401},
    {"ticket-used", 401},
    {"key-read-only", 403},
    {"csrf-missing", 403},
    {"csrf-wrong", 403},
    {"foreign-origin", 403},
    {"folder-not-accessible", 403},
    {"folder-read-only", 403},
    {"access-lost", 403},
    {"denied", 403},
    {"out-of-scope", 403},
    {"owner-disabled", 403},
    {"no-such-route", 404},
    {"unknown-session", 404},
    {"unknown-agent", 404},
    {"unknown-producer", 404},
    {"unknown-kernel", 404},
    {"no-such-shell", 404},
    {"no-such-app", 404},
    {"unknown-app", 404},
    {"unknown-user", 404},
    {"unknown-project", 404},
    {"unknown-key-pair", 404},
    {"unknown-domain", 404},
    {"unknown-subject", 404},
    {"unknown-browser-session", 404},
    {"scenario-too-large", 422},
    {"unknown-limit", 404},
    {"unknown-preset", 404},
    {"unknown-folder", 404},
    {"unknown-volume", 404},
    {"unknown-path", 404},
    {"unknown-upload", 404},
    {"unknown-audit", 404},
    {"no-decision", 404},
    {"method-not-allowed", 405},
    {"timeout", 408},
    {"name-in-use", 409},
    {"id-in-use", 409},
    {"idempotency-conflict", 409},
    {"ambiguous-name", 409},
    {"in-use", 409},
    {"agent-alive", 409},
    {"head-key-changed", 409},
    {"no-head-key", 409},
    {"log-pruned", 409},
    {"inputs-not-recorded", 409},
    {"sessions-ending", 409},
    {"last-superadmin", 409},
    {"too-many-keys", 409},
    {"name-retired", 409},
    {"link-spent", 409},
    {"session-ended", 409},
    {"session-terminating", 409},
    {"session-not-running", 409},
    {"generation-too-old", 409},
    {"image-being-built", 409},
    {"kernel-not-open", 409},
    {"session-not-running", 409},
    {"channel-closed", 409},
    {"no-app-origin", 409},
    {"not-for-this-backend", 409},
    {"app-ended", 409},
    {"app-in-terminal", 409},
    {"app-not-started-here", 409},
    {"app-not-http", 409},
    {"unknown-request", 409},
    {"too-many-shells", 409},
    {"too-many-programs", 409},
    {"too-many-apps", 409},
    {"count-changed", 409},
    {"folder-exists", 409},
    {"folder-automatic", 409},
    {"folder-mounted", 409},
    {"folder-purging", 409},
    {"folder-not-ready", 409},
    {"too-many-folders", 409},
    {"too-many-shares", 409},
    {"too-many-uploads", 409},
    {"volumes-busy", 409},
    {"volume-unavailable", 409},
    {"path-exists", 409},
    {"not-a-file", 409},
    {"not-a-folder", 409},
    {"folder-not-empty", 409},
    {"too-many-files", 409},
    {"file-busy", 409},
    {"upload-busy", 409},
    {"upload-differs", 409},
    {"offset-differs", 409},
    {"checksum-unknown", 409},
    {"length-required", 411},
    {"body-too-large", 413},
    {"request-too-large", 413},
    {"upload-too-large", 413},
    {"target-too-long", 414},
    {"unsupported-media-type", 415},
    {"range-invalid", 416},
    {"expectation-failed", 417},
    {"misdirected-request", 421},
    {"invalid-mount", 422},
    {"path-invalid", 422},
    {"checksum-differs", 422},
    {"volume-required", 422},
    {"upgrade-required", 426},
    {"too-many-requests", 429},
    {"audits-busy", 429},
    {"too-many-streams", 429},
    {"too-many-logins", 429},
    {"too-many-tickets", 429},
    {"headers-too-large", 431},
    {"internal-error", 500},
    {"agent-answer-invalid", 500},
    {"helper-garbled", 500},
    {"unknown-sealing-key", 500},
    {"seal-broken", 500},
    {"state-unwritable", 500},
    {"volume-failed", 500},
    {"app-answer-invalid", 502},
    {"connection-cut", 502},
    {"controller-full", 503},
    {"port-not-open", 503},
    {"log-unavailable", 503},
    {"not-ready", 503},
    {"past-busy", 503},
    {"past-loading", 503},
    {"past-unavailable", 503},
    {"past-failed", 500},
    {"before-the-log", 410},
    {"future-moment", 404},
    {"seal-key-in-use", 409},
    {"history-too-recent", 409},
    {"history-pruned-already", 409},
    {"past-pruned", 410},
    {"range-too-long", 422},
    {"no-memory", 503},
    {"request-expired", 503},
    {"too-many-connections", 503},
    {"stopping", 503},
    {"agent-unreachable", 503},
    {"agent-busy", 503},
    {"kernel-busy", 503},
    {"port-busy", 503},
    {"agent-timeout", 504},
    {"helper-silent", 504},
    {"outcome-unknown", 504},
    {"position-not-reached", 504},
    {"volume-full", 507},
};

}  // namespace

unsigned status_of(std::string_view code) {
  for (const CodeStatus& entry : kStatuses)
    if (entry.code == code) return entry.status;
  return 400;
}

Problem make_problem(std::string code, std::string detail, std::string hint) {
  Problem problem;
  problem.status = status_of(code);
  problem.code = std::move(code);
  problem.detail = std::move(detail);
  problem.hint = std::move(hint);
  if (problem.status == 503 || problem.status == 429) problem.retry_after_s = 1;
  return problem;
}

Problem to_problem(const Error& error) { return make_problem(error.code, error.message, error.hint); }

std::string_view title_of(unsigned status) {
  switch (status) {
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 426: return "Upgrade Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 507: return "Insufficient Storage";
    default: return "Error";
  }
}

boost::json::object to_json(const Problem& problem, std::string_view request_id) {
  boost::json::object out{{"type", "urn:berth:error:" + problem.code},
                          {"title", title_of(problem.status)},
                          {"status", problem.status},
                          {"code", problem.code},
                          {"detail", problem.detail}};
  if (!problem.hint.empty()) out["hint"] = problem.hint;
  out["request_id"] = request_id;
  if (!problem.errors.empty()) {
    boost::json::array errors;
    for (const PlaceError& error : problem.errors)
      errors.push_back({{"place", error.place}, {"message", error.message}});
    out["errors"] = std::move(errors);
  }
  if (problem.position) out["position"] = *problem.position;
  if (problem.offset) out["offset"] = *problem.offset;
  return out;
}

void Errors::add(std::string code, std::string place, std::string message, std::string hint) {
  if (problem_.errors.size() >= kShownMax) return;
  if (problem_.errors.empty()) {
    problem_.status = status_of(code);
    problem_.code = std::move(code);
    problem_.detail = place + ": " + message;
    problem_.hint = std::move(hint);
  }
  problem_.errors.push_back({std::move(place), std::move(message)});
}

Problem Errors::take() && {
  BERTH_CHECK(!empty(), "a problem without an error");
  if (problem_.hint.empty()) problem_.hint = "/openapi.json says what each field and parameter takes";
  return std::move(problem_);
}

}  // namespace berth::controller::api
