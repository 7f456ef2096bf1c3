#include "ops/cli/slurm/batch_request.h"

#include <charconv>

#include "events/base/name.h"
#include "ops/cli/slurm/jobs.h"
#include "ops/cli/slurm/slurm_times.h"

namespace berth::cli::slurm {
namespace {

constexpr std::size_t kJobNameMax = kNameMax - 16;  // behind it come "-" and 15 digits
constexpr std::int64_t kTasksMax = 100'000;

// Writes the script into a file of its own and becomes its interpreter: $1 the script, $2 its folder, $3 and
// $4 the files of stdout and stderr, $5 the interpreter and $6 its argument; each but the first and fifth may
// be empty.
constexpr const char* kStarter =
    "f=$(mktemp \"${TMPDIR:-/tmp}/slurm_script.XXXXXX\") && printf %s \"$1\" > \"$f\" || exit 1\n"
    "d=$2 o=$3 e=$4 i=$5 a=$6; shift 6\n"
    "[ -z \"$d\" ] || cd \"$d\" || exit 1\n"
    "[ -z \"$o\" ] || exec > \"$o\" 2>&1\n"
    "[ -z \"$e\" ] || exec 2> \"$e\"\n"
    "[ -z \"$a\" ] || exec \"$i\" \"$a\" \"$f\" \"$@\"\n"
    "exec \"$i\" \"$f\" \"$@\"\n";

Outcome<std::int64_t> count_of(const Given& given, const char* option, std::int64_t usual,
                               std::int64_t most) {
  if (!given.has(option)) return usual;
  const std::string text = given.value(option);
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > most)
    return usage_failure(std::string("--") + option + " '" + text.substr(0, 40) +
                         "' is no whole number from 1 to " + std::to_string(most));
  return count;
}

// "512", "512M", "4G" in KiB, times `times`: as Berth writes it.
Outcome<std::string> memory_of(const Given& given, const char* option, std::int64_t times) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const std::string text = given.value(option);
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  std::string unit(end, text.data() + text.size());
  if (unit.size() == 2 && (unit[1] == 'B' || unit[1] == 'b')) unit.pop_back();
  if (unit.empty()) unit = "m";
  unit[0] = static_cast<char>(unit[0] | 0x20);
  if (error != std::errc() || unit.size() != 1 || std::string("kmgt").find(unit[0]) == std::string::npos ||
      size < 1 || size > kMost)
    return usage_failure(
        std::string("--") + option + " '" + text.substr(0, 40) + "' is no size",
        "a whole number of MiB, or with K, M, G or T behind it; all of an agent cannot be asked for by 0");
  return std::to_string(size * times) + unit;
}

Outcome<bool> add_gres(const std::string& text, std::vector<std::string>& resources) {
  for (const auto& one : parts_of(text)) {
    const auto parts = parts_of(one, ':');
    if (parts.empty() || parts.size() > 2 ||
        (parts[0] == "gpu" && parts.size() == 2 &&
         parts[1].find_first_not_of("0123456789.") != std::string::npos))
      return usage_failure("--gres '" + one.substr(0, 60) + "' is not of the form SLOT:AMOUNT",
                           "gpu:2 or cuda.shares:0.5; the type of a GPU is chosen by the resource group");
    resources.push_back((parts[0] == "gpu" ? "cuda.shares" : parts[0]) + "=" +
                        (parts.size() == 2 ? parts[1] : "1"));
  }
  return true;
}

Outcome<bool> add_amounts(const Given& given, RunOptions& run) {
  const auto tasks = count_of(given, "ntasks", 1, kTasksMax),
             each = count_of(given, "cpus-per-task", 1, kTasksMax);
  if (!tasks) return tasks.failure();
  if (!each) return each.failure();
  if (given.has("nodes") && given.value("nodes") != "1" && given.value("nodes") != "1-1")
    return usage_failure(
        "--nodes '" + given.value("nodes").substr(0, 40) + "': a batch script runs on one agent",
        "sessions of several kernels: berth session run --cluster-size");
  const std::int64_t cpus = *tasks * *each;
  run.cpu = std::to_string(cpus);
  if (given.has("mem") && given.has("mem-per-cpu"))
    return usage_failure("--mem and --mem-per-cpu exclude each other");
  for (const auto& [option, times] : {std::pair{"mem", std::int64_t{1}}, {"mem-per-cpu", cpus}}) {
    if (!given.has(option)) continue;
    const auto memory = memory_of(given, option, times);
    if (!memory) return memory.failure();
    run.mem = *memory;
  }
  if (given.has("gpus")) {
    const auto gpus = count_of(given, "gpus", 1, 1024);
    if (!gpus) return gpus.failure();
    run.resources.push_back("cuda.shares=" + std::to_string(*gpus));
  }
  return add_gres(given.value("gres"), run.resources);
}

Outcome<bool> add_when(const Given& given, const Submission& submission, RunOptions& run) {
  if (given.has("time")) {
    const auto limit = parse_limit(given.value("time"));
    if (!limit) return limit.failure();
    if (*limit) run.batch_timeout = std::to_string(**limit / kSecond) + "s";
  }
  if (given.has("begin")) {
    const auto at =
        parse_moment("--begin", given.value("begin"), submission.now, submission.utc_offset, true);
    if (!at) return at.failure();
    run.start_time = format_time(*at / kSecond * kSecond);
  }
  if (given.has("requeue") && given.has("no-requeue"))
    return usage_failure("--requeue and --no-requeue exclude each other");
  run.requeueable = given.has("requeue");
  const std::string kill = given.has("kill-on-invalid-dep") ? given.value("kill-on-invalid-dep") : "no";
  if (kill != "yes" && kill != "no") return usage_failure("--kill-on-invalid-dep is yes or no");
  if (given.has("dependency")) run.on_dependency_failure = kill == "yes" ? "cancel" : "wait";
  return true;
}

// What the script finds of Slurm's variables, then those of --export.
Outcome<bool> add_environment(const Given& given, const Submission& submission, const std::string& name,
                              RunOptions& run) {
  const std::string job = job_number(submission.session_id);
  const auto set = [&run](const std::string& key, const std::string& value) {
    run.env.push_back(key + "=" + value);
  };
  set("SLURM_JOB_ID", job);
  set("SLURM_JOBID", job);
  set("SLURM_JOB_NAME", name);
  set("SLURM_JOB_NUM_NODES", "1");
  set("SLURM_NTASKS", given.has("ntasks") ? given.value("ntasks") : "1");
  if (given.has("cpus-per-task")) set("SLURM_CPUS_PER_TASK", given.value("cpus-per-task"));
  if (given.has("partition")) set("SLURM_JOB_PARTITION", given.value("partition"));
  for (const auto& text : given.list("export")) {
    if (text == "NONE" || text == "NIL") continue;
    if (text == "ALL")
      return usage_failure(
          "--export=ALL: this machine's environment is none for the image that the job runs in",
          "name the variables: --export=NAME,OTHER=VALUE");
    if (text.find('=') != std::string::npos)
      run.env.push_back(text);
    else if (const auto value = submission.environment(text.c_str()))
      set(text, *value);
  }
  return true;
}

Outcome<std::string> job_name(const Given& given, const std::string& script_name) {
  std::string name = given.value("job-name");
  if (!given.has("job-name")) {
    name = script_name.substr(0, kJobNameMax);
    for (char& c : name)
      if (!is_valid_name(std::string("a") + c)) c = '-';
    if (!is_valid_name(name)) name = "sbatch";
  }
  if (!is_valid_name(name) || name.size() > kJobNameMax)
    return usage_failure(
        "--job-name '" + name.substr(0, 80) + "' is no name",
        "letters, digits, - _ . ; begins with a letter or digit; at most " + std::to_string(kJobNameMax));
  return name;
}

Outcome<std::vector<std::string>> command_of(const Given& given, const BatchScript& script,
                                             const Submission& submission, const std::string& name) {
  std::vector<std::string> command{"/bin/sh", "-c", kStarter, "sbatch", script.text, given.value("chdir")};
  for (const char* option : {"output", "error"}) {
    const auto file =
        file_named(given.value(option), job_number(submission.session_id), name, submission.user);
    if (!file) return file.failure();
    command.push_back(*file);
  }
  command.push_back(script.interpreter);
  command.push_back(script.argument);
  command.insert(command.end(), submission.arguments.begin(), submission.arguments.end());
  return command;
}

}  // namespace

Outcome<std::vector<std::string>> dependencies_of(const std::string& text) {
  std::vector<std::string> jobs;
  if (text.find('?') != std::string::npos)
    return usage_failure("--dependency '" + text.substr(0, 60) + "': all of them count, there is no '?'");
  for (const auto& one : parts_of(text)) {
    const auto parts = parts_of(one, ':');
    if (parts.size() < 2 || parts[0] != "afterok")
      return usage_failure("--dependency '" + one.substr(0, 60) + "' is not of the form afterok:JOB[:JOB...]",
                           "after, afterany, afternotok and singleton are not there");
    for (std::size_t i = 1; i < parts.size(); ++i) {
      auto job = checked_job_id("sbatch: --dependency", parts[i]);
      if (!job) return job.failure();
      jobs.push_back(std::move(*job));
    }
  }
  return jobs;
}

Outcome<std::string> file_named(const std::string& pattern, const std::string& job, const std::string& name,
                                const std::string& user) {
  std::string file;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '%') {
      file += pattern[at];
      continue;
    }
    const char letter = ++at < pattern.size() ? pattern[at] : '\0';
    if (letter == 'j' || letter == 'A')
      file += job;
    else if (letter == 'x')
      file += name;
    else if (letter == 'u')
      file += user;
    else if (letter == '%')
      file += '%';
    else
      return usage_failure("'" + pattern.substr(0, 80) +
                           "': of Slurm's patterns there are %j, %A, %x, %u and %%");
  }
  return file;
}

Outcome<RunOptions> batch_request(const Given& given, const BatchScript& script,
                                  const Submission& submission) {
  RunOptions run;
  run.type = "batch";
  run.group = given.value("partition");
  run.project = given.value("account");
  run.image = given.has("container-image") ? given.value("container-image")
                                           : submission.environment("BERTH_SLURM_IMAGE").value_or("");
  run.mounts = given.list("container-mounts");
  if (given.has("nodelist")) {
    run.agents = given.list("nodelist");
    if (run.agents.size() != 1 || run.agents[0].find('[') != std::string::npos)
      return usage_failure("--nodelist '" + given.value("nodelist").substr(0, 60) + "' is not one agent");
  }
  const auto name = job_name(given, submission.script_name);
  if (!name) return name.failure();
  run.name = *name + "-" + job_number(submission.session_id);
  if (const auto added = add_amounts(given, run); !added) return added.failure();
  if (const auto added = add_when(given, submission, run); !added) return added.failure();
  if (const auto added = add_environment(given, submission, *name, run); !added) return added.failure();
  auto command = command_of(given, script, submission, *name);
  if (!command) return command.failure();
  run.command = std::move(*command);
  return run;
}

}  // namespace berth::cli::slurm
