// The options of sbatch (tools.h), on its command line and in #SBATCH lines.
#include "ops/cli/slurm/tools.h"

namespace berth::cli::slurm {
namespace {

std::vector<Option> batch_options() {
  return {{'A', "account", "PROJECT", "Project"},
          {'b', "begin", "TIME", "Not before: 2026-01-31T18:00, 18:00, now+1hour"},
          {'D', "chdir", "FOLDER", "Where the script runs, in the kernel"},
          {'\0', "container-image", "IMAGE", "Image (default: BERTH_SLURM_IMAGE of the environment)"},
          {'\0', "container-mounts", "LIST", "Folders, each FOLDER[:TARGET][:ro]"},
          {'c', "cpus-per-task", "N", "CPUs (default 1), times --ntasks"},
          {'d', "dependency", "afterok:JOB[:JOB...]", "Only after these jobs succeeded"},
          {'e', "error", "FILE", "Where stderr goes, in the kernel (default: with stdout)"},
          {'\0', "export", "NAME[=VALUE],...", "Variables that the job gets, or NONE (default)"},
          {'G', "gpus", "N", "Shares of GPUs: the slot cuda.shares"},
          {'\0', "gres", "LIST", "gpu:N, or any slot of Berth: cuda.shares:0.5"},
          {'J', "job-name", "NAME", "Name (default: the script's)"},
          {'\0', "kill-on-invalid-dep", "yes|no", "Cancel it if a dependency fails (default no: it waits)"},
          {'\0', "mem", "SIZE", "Memory: 512 (MiB), 512K, 4G"},
          {'\0', "mem-per-cpu", "SIZE", "The same, for each CPU"},
          {'\0', "no-requeue", nullptr, "It ends when its agent is lost (default)"},
          {'w', "nodelist", "AGENT", "On this agent"},
          {'N', "nodes", "1", "One: for more use `berth session run --cluster-size`"},
          {'n', "ntasks", "N", "How many times --cpus-per-task"},
          {'o', "output", "FILE",
           "Where stdout goes, in the kernel; %j, %x, %u (default: `berth logs NAME-JOB`)"},
          {'\0', "parsable", nullptr, "Print the job's id alone"},
          {'p', "partition", "GROUP", "Resource group"},
          {'Q', "quiet", nullptr, "Print nothing"},
          {'\0', "requeue", nullptr, "It starts again when its agent is lost"},
          {'t', "time", "TIME", "Ended after it: 30 (minutes), 1:30:00, 2-12"},
          {'W', "wait", nullptr, "Wait until it has ended, and exit with its code"},
          {'\0', "wrap", "COMMAND", "Instead of a script"},
          {'\0', "help", nullptr, "This text"}};
}

std::vector<Refusal> batch_refusals() {
  return {{'a', "array", "there are no job arrays; submit in a loop"},
          {'\0', "comment", "a session has none"},
          {'C', "constraint", "name a resource group (--partition) or an agent (--nodelist)"},
          {'x', "exclude", "name a resource group (--partition) or an agent (--nodelist)"},
          {'\0', "exclusive", "an agent is shared; ask for all that it has"},
          {'F', "nodefile", "use --nodelist"},
          {'\0', "gpus-per-node", "use --gpus"},
          {'\0', "gpus-per-task", "use --gpus"},
          {'H', "hold", "use --begin"},
          {'i', "input", "the script can read a folder's file (--container-mounts)"},
          {'\0', "mail-type", "nobody sends mail here; `berth event tail` follows what happens"},
          {'\0', "mail-user", "nobody sends mail here; `berth event tail` follows what happens"},
          {'M', "clusters", "use --endpoint, a context or BERTH__API__ENDPOINT"},
          {'\0', "nice", "priorities are for `berth session run --priority`"},
          {'\0', "ntasks-per-node", "use --ntasks"},
          {'\0', "open-mode", "a file of --output is written anew"},
          {'\0', "priority", "Slurm's numbers are not Berth's: `berth session run --priority`"},
          {'q', "qos", "there are no qualities of service"},
          {'\0', "reservation", "there are no reservations"},
          {'\0', "signal", "at its end a job gets SIGTERM, then SIGKILL"},
          {'\0', "test-only", "use `berth session run --dry-run`"},
          {'\0', "time-min", "use --time"},
          {'\0', "tmp", "use --gres=disk:20g"},
          {'v', "verbose", "there is no more to say"}};
}

}  // namespace

const Tool& sbatch() {
  static const Tool tool{"sbatch", "Ask for a batch session that runs a script", "[SCRIPT [ARGUMENT...]]",
                         batch_options(), batch_refusals()};
  return tool;
}

}  // namespace berth::cli::slurm
