/* Selection policies that do what none should, chosen by -DPOLICY_... */
#include "berth_policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef POLICY_ABI
#define POLICY_ABI BERTH_POLICY_ABI
#endif

static int score(const struct berth_policy_question *question, int64_t *scores) {
  for (uint32_t i = 0; i < question->n_agents; i++) scores[i] = i;
#ifdef POLICY_SLOW
  sleep(30);
#endif
#ifdef POLICY_CRASH
  *(volatile int *)0 = 1;
#endif
#ifdef POLICY_EXIT
  exit(0);
#endif
#ifdef POLICY_WILD
  scores[0] = INT64_MAX;
#endif
#ifdef POLICY_LAZY
  scores[question->n_agents - 1] = INT64_MIN; /* as if it had not been written */
#endif
#ifdef POLICY_ERROR
  return 7;
#endif
#ifdef POLICY_TALKS
  printf("scores: 1 2 3\n");
  fflush(stdout);
  if (write(1, "\1\0\0\0nonsense", 12) < 0) return 1;
#endif
#ifdef POLICY_ONCE
  static int asked = 0;
  if (asked++ > 0) abort();
#endif
  return 0;
}

static const struct berth_policy policy = {POLICY_ABI, sizeof policy, "misbehaving", score};

#ifndef POLICY_NO_ENTRY
const struct berth_policy *berth_policy_entry(void) { return &policy; }
#else
const struct berth_policy *unused(void) { return &policy; }
#endif
