#include "ops/cli/slurm/tools.h"

namespace berth::cli::slurm {

const Tool& squeue() {
  static const Tool tool{
      "squeue",
      "List the sessions that wait or run, as jobs",
      "",
      {{'A', "account", "LIST", "Only of these projects"},
       {'a', "all", nullptr, "Nothing: what you may see is shown anyway"},
       {'o', "format", "FORMAT", "Columns, like \"%.18i %.9P %j\"; the letters are below"},
       {'j', "jobs", "LIST", "Only these jobs"},
       {'l', "long", nullptr, "The time limit too, and states in full"},
       {'\0', "me", nullptr, "Only your own"},
       {'n', "name", "LIST", "Only of these names"},
       {'w', "nodelist", "LIST", "Only on these agents"},
       {'h', "noheader", nullptr, "Without the titles"},
       {'p', "partition", "LIST", "Only of these resource groups"},
       {'t', "states", "LIST", "Only in these states: PD, RUNNING, ...; all: the ended ones too"},
       {'u', "user", "LIST", "Only of these users"},
       {'\0', "help", nullptr, "This text"}},
      {{'O', "Format", "use --format"},
       {'r', "array", "there are no job arrays"},
       {'i', "iterate", "use `berth session ls --watch`"},
       {'\0', "json", "use `berth session ls -o json`"},
       {'\0', "yaml", "use `berth session ls -o yaml`"},
       {'S', "sort", "the order is that of arrival; pipe the lines through sort"},
       {'\0', "start", "use `berth session why NAME`"},
       {'s', "steps", "there are no job steps"},
       {'M', "clusters", "use --endpoint, a context or BERTH__API__ENDPOINT"},
       {'q', "qos", "there are no qualities of service"},
       {'R', "reservation", "there are no reservations"}}};
  return tool;
}

const Tool& sinfo() {
  static const Tool tool{
      "sinfo",
      "List resource groups and their agents, as partitions and nodes",
      "",
      {{'a', "all", nullptr, "Nothing: what you may see is shown anyway"},
       {'o', "format", "FORMAT", "Columns, like \"%P %.6D %N\"; the letters are below"},
       {'N', "Node", nullptr, "A line an agent"},
       {'n', "nodes", "LIST", "Only these agents"},
       {'h', "noheader", nullptr, "Without the titles"},
       {'p', "partition", "LIST", "Only these resource groups"},
       {'t', "states", "LIST", "Only agents in these states: idle, mix, alloc, drain, drng, down"},
       {'s', "summarize", nullptr, "A line a resource group"},
       {'\0', "help", nullptr, "This text"}},
      {{'O', "Format", "use --format"},
       {'e', "exact", "agents are grouped by what is printed of them"},
       {'i', "iterate", "use `berth agent ls --watch`"},
       {'\0', "json", "use `berth agent ls -o json`"},
       {'\0', "yaml", "use `berth agent ls -o yaml`"},
       {'R', "list-reasons", "a drain has no reason; `berth agent show AGENT`"},
       {'l', "long", "use --format"},
       {'S', "sort", "pipe the lines through sort"},
       {'T', "reservation", "there are no reservations"},
       {'M', "clusters", "use --endpoint, a context or BERTH__API__ENDPOINT"}}};
  return tool;
}

const Tool& scancel() {
  static const Tool tool{"scancel",
                         "End sessions",
                         "[JOB...]",
                         {{'A', "account", "LIST", "Those of these projects"},
                          {'\0', "me", nullptr, "Your own"},
                          {'n', "name", "LIST", "Those of these names"},
                          {'p', "partition", "LIST", "Those of these resource groups"},
                          {'Q', "quiet", nullptr, "No word of jobs that are not there or have ended"},
                          {'t', "state", "LIST", "Those in these states: PENDING, RUNNING, ..."},
                          {'u', "user", "LIST", "Those of these users"},
                          {'v', "verbose", nullptr, "Say which are ended"},
                          {'\0', "help", nullptr, "This text"}},
                         {{'b', "batch", "the whole session ends"},
                          {'f', "full", "the whole session ends"},
                          {'i', "interactive", "use `berth session rm`, which asks"},
                          {'s', "signal", "use `berth exec NAME -- kill`"},
                          {'w', "nodelist", "use `squeue --nodelist`, and name the jobs"},
                          {'H', "hurry", "there is no burst buffer"},
                          {'q', "qos", "there are no qualities of service"},
                          {'R', "reservation", "there are no reservations"},
                          {'M', "clusters", "use --endpoint, a context or BERTH__API__ENDPOINT"}}};
  return tool;
}

const Tool& sacct() {
  static const Tool tool{
      "sacct",
      "List sessions that ran, as jobs",
      "",
      {{'A', "accounts", "LIST", "Only of these projects"},
       {'a', "allusers", nullptr, "Of all users whose sessions you may see"},
       {'X', "allocations", nullptr, "Nothing: there are no job steps"},
       {'E', "endtime", "TIME", "Only what was there before it (default: now)"},
       {'o', "format", "LIST", "Fields, like JobID,JobName%20,State; --helpformat names all"},
       {'e', "helpformat", nullptr, "The fields of --format"},
       {'j', "jobs", "LIST", "Only these jobs, however long ago"},
       {'\0', "name", "LIST", "Only of these names"},
       {'n', "noheader", nullptr, "Without the titles"},
       {'p', "parsable", nullptr, "Fields with a | behind each"},
       {'P', "parsable2", nullptr, "Fields with a | between them"},
       {'r', "partition", "LIST", "Only of these resource groups"},
       {'S', "starttime", "TIME", "Only what was there after it (default: today, 00:00)"},
       {'s', "state", "LIST", "Only in these states: CD, FAILED, ..."},
       {'u', "user", "LIST", "Of these users (default: you)"},
       {'\0', "help", nullptr, "This text"}},
      {{'b', "brief", "use --format=JobID,State,ExitCode"},
       {'B', "batch-script", "use `berth session show NAME`"},
       {'c', "completion", "use the default"},
       {'D', "duplicates", "a job that was started again is one job here"},
       {'\0', "json", "use `berth session ls --all -o json`"},
       {'l', "long", "use --format"},
       {'L', "allclusters", "use --endpoint, a context or BERTH__API__ENDPOINT"},
       {'M', "clusters", "use --endpoint, a context or BERTH__API__ENDPOINT"},
       {'N', "nodelist", "use --format=JobID,NodeList and grep"},
       {'q', "qos", "there are no qualities of service"},
       {'T', "truncate", "times are those of the job"},
       {'\0', "units", "memory has the unit in which it is a whole number"}}};
  return tool;
}

const Tool* find_tool(const std::string& name) {
  const std::string base = name.substr(name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1);
  for (const Tool* tool : {&squeue(), &sinfo(), &sbatch(), &scancel(), &sacct()})
    if (base == tool->name) return tool;
  return nullptr;
}

}  // namespace berth::cli::slurm
