// How a placement of the FAKE cluster was decided: two agents, of which one is out, and a queue of two.
import { Refusal } from './cluster.mjs'

const score = (name, value, slot = null) => ({ name, slot, value })

export function decision(cluster, position) {
  const event = cluster.events.find(({ id }) => id === position)
  if (event?.type !== 'SessionScheduled')
    throw new Refusal(404, 'no-decision', `${position} places no session`)
  const session = cluster.tables.sessions.get(event.session)
  const agent = event.data.agent
  const places = [{ kernel: 'main1', agent, devices: [] }]
  const step = { priority: 10, asked: 1, outcome: 'placed', code: null, slot: null }
  return {
    position,
    time: event.time,
    kind: 'placed',
    session: session.id,
    name: session.name,
    user: session.owner.user,
    attempt: 1,
    group: session.group,
    pass: { from: position, to: position, time: event.time },
    policy: { order: 'fifo', head_of_line: 'skip', select: 'concentrated' },
    queue_count: 2,
    queue: [
      { place: 1, session: null, name: null, user: null, ...step, outcome: 'refused', code: 'no-capacity', slot: 'cuda.shares' },
      { place: 2, session: session.id, name: session.name, user: session.owner.user, ...step, asked: 2 },
    ],
    was_held: false,
    behind_head: false,
    searches_count: 1,
    searches: [
      {
        kernel: 'main1',
        agents: 2,
        filters: [
          {
            filter: 'no-capacity',
            text: 'has too little that is free',
            removed_count: 1,
            removed: [{ agent: 'a-full', slot: 'mem', asked: '4294967296', missing: '1073741824' }],
          },
        ],
        remaining_count: 1,
        remaining: [{ agent, scores: [score('unused', '0'), score('free', '3', 'cpu')] }],
        ties: 1,
      },
    ],
    victims_count: 0,
    victims: [],
    places,
    record: places,
    equal: true,
  }
}
