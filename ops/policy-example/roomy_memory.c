/* A selection policy for Berth: of the agents on which a session fits, the one with most free memory for each free GPU, so that what
 * comes next finds the two in step. Build it with `make BERTH=...` and put roomy_memory.so into the controller's folder of policies. */
#include "berth_policy.h"

#include <string.h>

#define UNIT 1000000 /* of a count slot: one whole */

static int is_gpu(const char *slot) { return strncmp(slot, "cuda", 4) == 0 || strncmp(slot, "rocm", 4) == 0; }

static int64_t score_of(const struct berth_policy_question *question, const struct berth_policy_agent *agent) {
  int64_t memory = 0, gpus = 0;
  for (uint32_t i = 0; i < agent->n_amounts; i++) {
    const struct berth_policy_amount *amount = &agent->amounts[i];
    const char *slot = question->slots[amount->slot].name;
    if (amount->free <= 0) continue;
    if (strcmp(slot, "mem") == 0) memory += amount->free >> 20; /* in MiB */
    if (is_gpu(slot)) gpus += amount->free;
  }
  if (memory > 1000000000) memory = 1000000000; /* a score has to stay within BERTH_POLICY_SCORE_MAX */
  return memory * UNIT / (gpus > UNIT ? gpus : UNIT);
}

static int score(const struct berth_policy_question *question, int64_t *scores) {
  for (uint32_t i = 0; i < question->n_agents; i++) scores[i] = score_of(question, &question->agents[i]);
  return 0;
}

static const struct berth_policy policy = {BERTH_POLICY_ABI, sizeof policy, "roomy_memory", score};

const struct berth_policy *berth_policy_entry(void) { return &policy; }
