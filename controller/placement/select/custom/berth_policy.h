/* Berth's agent selection by a shared library of your own (select "custom"). Plain C; nothing else of Berth
 * is needed.
 *
 * The scheduler finds the agents on which something fits and asks which it should take: a score an agent, the
 * highest wins, of equal ones the smaller id. What fits, and which devices are used, stays the scheduler's: a
 * policy can prefer, it cannot break a placement.
 *
 * Amounts are integers: bytes of a slot of kind BERTH_POLICY_BYTES, else millionths (half a device is
 * 500000). They may be negative where more is taken than there is. Everything that is handed over lives until
 * score() returns.
 *
 * The library runs in a process of its own (berth-policy-host) with one thread, which calls score() for one
 * question after another. It must answer from what it is handed: no clock, no randomness, no files, so that
 * the same question has the same answer. All of its answers of one pass together may take 100 ms. A process
 * that takes longer, crashes, or gives a score out of range is killed; the group selects as `concentrated`
 * for the rest of the pass. After three such passes in a row it is asked no more until the group is defined
 * anew or the controller starts anew.
 *
 * BERTH_POLICY_ABI stands for the layout of these structures. It changes when they do, and `size` tells what
 * a host handed over.
 */
#ifndef BERTH_POLICY_H
#define BERTH_POLICY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BERTH_POLICY_ABI 1u
#define BERTH_POLICY_ON_AGENT 0xFFFFu /* berth_policy_amount.device: belongs to no device */
#define BERTH_POLICY_SCORE_MAX INT64_C(1000000000000000) /* scores are within +- this */

enum { BERTH_POLICY_COUNT = 0, BERTH_POLICY_BYTES = 1, BERTH_POLICY_UNIQUE = 2 };

struct berth_policy_slot {
  const char* name; /* "cpu", "mem", "cuda.shares" */
  uint32_t kind;
  uint32_t reserved;
  int64_t asked; /* of one agent; 0: not asked for */
};

struct berth_policy_amount {
  uint32_t slot;   /* index into the question's slots */
  uint32_t device; /* index into the agent's devices, or BERTH_POLICY_ON_AGENT */
  int64_t capacity;
  int64_t free;
};

struct berth_policy_device {
  const char* id;
  int32_t numa;
  uint32_t reserved;
};

struct berth_policy_agent {
  const char* id;
  uint32_t containers; /* that run there */
  uint32_t n_devices;
  const struct berth_policy_device* devices;
  const struct berth_policy_amount* amounts;
  uint32_t n_amounts;
  uint32_t reserved;
};

struct berth_policy_question {
  uint32_t size;    /* sizeof(struct berth_policy_question) */
  uint32_t kernels; /* that go to the agent together */
  uint32_t n_slots;
  uint32_t n_agents;
  const struct berth_policy_slot* slots;
  const struct berth_policy_agent* agents; /* by id; each could take it */
};

struct berth_policy {
  uint32_t abi;     /* BERTH_POLICY_ABI */
  uint32_t size;    /* sizeof(struct berth_policy) */
  const char* name; /* for the log */
  /* Writes n_agents scores; 0, or anything else when it has no answer. */
  int (*score)(const struct berth_policy_question* question, int64_t* scores);
};

/* The one symbol that a library exports. */
const struct berth_policy* berth_policy_entry(void);

#ifdef __cplusplus
}
#endif

#endif
