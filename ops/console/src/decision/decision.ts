import type { Decision, DecisionPlaces, DecisionQueueStep } from '../api/schema.gen'

/** Of the queue so many before it, and so many behind. */
const AROUND = 10

/** The session itself and what stood near it: the whole queue may have thousands. */
export function queueShown({ queue, session }: Pick<Decision, 'queue' | 'session'>): DecisionQueueStep[] {
  const own = queue.findIndex((step) => step.session === session)
  if (own < 0) return queue.slice(0, 2 * AROUND)
  return queue.slice(Math.max(0, own - AROUND), own + AROUND + 1)
}

/** `main1 on a1 (cuda0)`; what did not come out: a dash. */
export function placesText(places: DecisionPlaces): string {
  if (!places || places.length === 0) return '–'
  return places
    .map(({ kernel, agent, devices }) => {
      const names = [...new Set(devices.map(({ device }) => device))].join(', ')
      return `${kernel} → ${agent}${names && ` (${names})`}`
    })
    .join('; ')
}
