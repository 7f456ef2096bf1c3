#include "controller/api/map/problem.h"

#include <utility>

#include "events/base/checks.h"

namespace berth::controller::api {
Problem make_problem(Code code, std::string detail, std::string hint) {
  Problem problem;
  problem.status = code.status();
  problem.code = code;
  problem.detail = std::move(detail);
  problem.hint = hint.empty() ? std::string(code.advice()) : std::move(hint);
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
                          {"code", problem.code.word()},
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

void Errors::add(Code code, std::string place, std::string message, std::string hint) {
  if (problem_.errors.size() >= kShownMax) return;
  if (problem_.errors.empty()) {
    problem_.status = code.status();
    problem_.code = code;
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
