// sacct: sessions that ran, as jobs.
#include <algorithm>
#include <charconv>

#include "ops/cli/command/paging.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/times.h"
#include "ops/cli/slurm/fields.h"
#include "ops/cli/slurm/job_fields.h"
#include "ops/cli/slurm/slurm_times.h"
#include "ops/cli/slurm/tool_runs.h"

namespace berth::cli::slurm {
namespace {

namespace json = boost::json;

constexpr const char* kUsualFields = "JobID,JobName,Partition,Account,AllocCPUS,State,ExitCode";
constexpr std::size_t kJobsMax = 100'000;

struct NamedField {
  const char* title;
  int width;  // less than 0: left
  const char* field;
};
constexpr NamedField kNamedFields[] = {{"JobID", -15, "jobid"},
                                       {"JobName", 10, "jobname"},
                                       {"Partition", 10, "partition"},
                                       {"Account", 10, "account"},
                                       {"User", 9, "user"},
                                       {"AllocCPUS", 10, "alloccpus"},
                                       {"NCPUS", 10, "alloccpus"},
                                       {"ReqCPUS", 8, "cpus"},
                                       {"ReqMem", 10, "mem"},
                                       {"AllocNodes", 10, "allocnodes"},
                                       {"NNodes", 8, "nodes"},
                                       {"NodeList", 15, "placed"},
                                       {"State", 13, "state"},
                                       {"ExitCode", 8, "exitcode"},
                                       {"Reason", 22, "reason"},
                                       {"Elapsed", 10, "elapsed"},
                                       {"ElapsedRaw", 10, "elapsedraw"},
                                       {"CPUTime", 10, "cputime"},
                                       {"CPUTimeRAW", 10, "cputimeraw"},
                                       {"Timelimit", 10, "limit"},
                                       {"Submit", 19, "submit"},
                                       {"Start", 19, "startunknown"},
                                       {"End", 19, "endunknown"},
                                       {"Priority", 10, "priority"},
                                       {"SessionID", 36, "sessionid"}};

std::string lower_text(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// "JobName%20", "JobName%-20", "JobName".
Outcome<Field> named_field(const std::string& text, const std::vector<json::value>& jobs,
                           const Shell& shell) {
  const auto percent = text.find('%');
  const std::string name = lower_text(text.substr(0, percent));
  const auto known = std::ranges::find_if(
      kNamedFields, [&](const NamedField& field) { return lower_text(field.title) == name; });
  if (known == std::end(kNamedFields))
    return usage_failure("sacct: --format has no field '" + text.substr(0, 40) + "'",
                         "sacct --helpformat names all");
  int width = known->width;
  if (percent != std::string::npos) {
    const std::string number = text.substr(percent + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), width);
    if (error != std::errc() || end != number.data() + number.size() || width < -1000 || width > 1000 ||
        width == 0)
      return usage_failure("sacct: --format '" + text.substr(0, 40) + "' has no width behind its %");
  }
  Field field{.title = known->title, .width = std::abs(width), .right = width > 0};
  field.text = [&jobs, viewer = Viewer{shell.now(), shell.style().utc_offset},
                read = job_field(known->field)](std::size_t row) { return read(jobs[row], viewer); };
  return field;
}

Outcome<std::vector<Field>> named_fields(const Given& given, const std::vector<json::value>& jobs,
                                         const Shell& shell) {
  std::vector<Field> fields;
  for (const auto& text : parts_of(given.has("format") ? given.value("format") : kUsualFields)) {
    auto field = named_field(text, jobs, shell);
    if (!field) return field.failure();
    fields.push_back(std::move(*field));
  }
  if (fields.empty()) return usage_failure("sacct: --format names no field", "sacct --helpformat names all");
  return fields;
}

// Padded, with a line of dashes below the titles.
std::string padded_lines(const std::vector<Field>& fields, std::size_t rows, bool titles) {
  const auto line = [&](const std::function<std::string(const Field&)>& text) {
    std::string all;
    for (const auto& field : fields) all += in_width(text(field), field.width, field.right) + " ";
    return all + "\n";
  };
  std::string lines;
  if (titles) {
    lines += line([](const Field& field) { return field.title; });
    lines += line([](const Field& field) { return std::string(static_cast<std::size_t>(field.width), '-'); });
  }
  for (std::size_t row = 0; row < rows; ++row)
    lines += line([row](const Field& field) { return field.text(row); });
  return lines;
}

// Fields with a "|" between them, and `last` at the end.
std::string barred_lines(const std::vector<Field>& fields, std::size_t rows, bool titles, const char* last) {
  const auto line = [&](const std::function<std::string(const Field&)>& text) {
    std::string all;
    for (std::size_t i = 0; i < fields.size(); ++i)
      all += (i == 0 ? "" : "|") + in_width(text(fields[i]), 0, false);
    return all + last + "\n";
  };
  std::string lines;
  if (titles) lines += line([](const Field& field) { return field.title; });
  for (std::size_t row = 0; row < rows; ++row)
    lines += line([row](const Field& field) { return field.text(row); });
  return lines;
}

struct Window {
  Timestamp from = 0, to = 0;
};

Outcome<Window> window_of(const Shell& shell, const Given& given) {
  const Timestamp now = shell.now();
  const UtcOffset& zone = shell.style().utc_offset;
  const std::string start = given.has("starttime") ? given.value("starttime")
                            : given.has("jobs")    ? "1970-01-01T00:00:00Z"
                                                   : "today";
  if (start == "1970-01-01T00:00:00Z") return Window{0, now};
  const auto from = parse_moment("sacct: --starttime", start, now, zone, false);
  if (!from) return from.failure();
  const auto to = parse_moment("sacct: --endtime", given.has("endtime") ? given.value("endtime") : "now", now,
                               zone, false);
  if (!to) return to.failure();
  if (*to < *from) return usage_failure("sacct: --endtime lies before --starttime");
  return Window{*from, *to};
}

// Some of its time, from when it was asked for to its end, lies in the window.
bool lies_in(const json::value& session, const Window& window) {
  const auto begin = parse_time(text_at(session, "created_at")),
             end = parse_time(text_at(session, "ended_at"));
  return (!begin || *begin <= window.to) && (!end || *end >= window.from);
}

Outcome<std::vector<json::value>> jobs_between(Shell& shell, const Given& given, const Window& window) {
  const auto api = shell.api();
  if (!api) return api.failure();
  auto filter = filter_of(**api, sacct(), given, "state", "accounts");
  if (!filter) return filter.failure();
  if (!filter->jobs.empty()) {
    auto found = find_jobs(**api, "sacct", filter->jobs);
    if (!found) return found.failure();
    std::erase_if(*found, [&](const auto& job) { return !filter->takes(job); });
    return *found;
  }
  if (filter->users.empty() && !given.has("allusers")) {
    const auto me = having((*api)->get("/v1/whoami"), {"user"});
    if (!me) return me.failure();
    filter->users.push_back(text_at(me->body, "user"));
  }
  const auto sessions =
      get_all(**api, sessions_target(*filter, "all", format_time(window.from / kSecond * kSecond)),
              "sessions", kJobsMax);
  if (!sessions) return sessions.failure();
  if (sessions->size() == kJobsMax)
    shell.note("sacct: only the first 100000 jobs are looked at; narrow the window");
  std::vector<json::value> jobs;
  for (const auto& session : *sessions)
    if (filter->takes(session) && lies_in(session, window)) jobs.push_back(session);
  std::ranges::stable_sort(jobs, {}, [](const auto& job) { return parse_time(text_at(job, "created_at")); });
  return jobs;
}

}  // namespace

std::string sacct_fields() {
  std::string text;
  for (const auto& field : kNamedFields) text += (text.empty() ? "" : " ") + std::string(field.title);
  return text + "\n";
}

Outcome<int> run_sacct(Shell& shell, const Given& given) {
  if (given.has("helpformat")) {
    shell.out() << sacct_fields();
    return kOk;
  }
  std::vector<json::value> jobs;
  const auto fields = named_fields(given, jobs, shell);
  if (!fields) return fields.failure();
  const auto window = window_of(shell, given);
  if (!window) return window.failure();
  auto found = jobs_between(shell, given, *window);
  if (!found) return found.failure();
  jobs = std::move(*found);
  const bool titles = !given.has("noheader");
  if (given.has("parsable") || given.has("parsable2"))
    shell.out() << barred_lines(*fields, jobs.size(), titles, given.has("parsable2") ? "" : "|");
  else
    shell.out() << padded_lines(*fields, jobs.size(), titles);
  return kOk;
}

}  // namespace berth::cli::slurm
