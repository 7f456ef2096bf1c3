import { memo } from 'react'
import { may } from '../api/identity'
import type { Agent, Device, Use } from '../api/schema.gen'
import { bySlotOrder, kindOf, microOf, shareOf, showAmount, slotName } from '../amount/amount'
import { useMe } from '../app/account_context'
import { hashOf } from '../app/router'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { StateBadge } from '../ui/state_badge'
import { useNear } from '../ui/use_near'
import type { Colouring } from './agent_page'
import { kernelCount } from './kernel_count'
import { tilesOf, type Tile } from './tiles'

type Props = { agent: Agent; colouring: Colouring; drain: (agent: Agent) => void }

/** As in agent.css: a line's height with its gap, and that of the head, the foot and the padding. */
const LINE = 24
const FRAME = 66

/** One agent's place on the page, drawn while it is in sight. */
export const AgentBox = memo(function AgentBox(props: Props) {
  const { ref, near } = useNear<HTMLLIElement>()
  const { slots, devices } = linesOf(props.agent)
  const minHeight = FRAME + LINE * (slots.length + devices.length)
  return (
    <li className="agent" ref={ref} style={{ minHeight }}>
      {near ? <AgentContent {...props} /> : <strong>{props.agent.name}</strong>}
    </li>
  )
})

/** Slots of the agent itself, then each device with each of its slots. */
function linesOf(agent: Agent) {
  const devices = agent.devices.flatMap((device) =>
    Object.keys(device.slots).map((slot) => ({ device, slot })),
  )
  const onDevices = new Set(devices.map(({ slot }) => slot))
  const slots = Object.keys(agent.slots)
    .filter((slot) => !onDevices.has(slot))
    .sort(bySlotOrder)
  return { slots, devices }
}

/** An agent that is alive may take nothing: because it can start no kernel, or because an operator said so. */
function standing({ state, fit, draining }: Agent) {
  if (state !== 'ALIVE') return state
  return !fit ? 'UNFIT' : draining ? 'DRAINING' : state
}

/** What an agent has of each slot, and each device with the fractions that kernels hold of it. */
function AgentContent({ agent, colouring, drain }: Props) {
  const { t } = useText()
  const { slots, devices } = linesOf(agent)
  return (
    <>
      <div className="agent-head">
        <strong className="wrap">{agent.name}</strong>
        <StateBadge state={standing(agent)} />
        <span className="grow" />
        <span className="muted">{agent.group}</span>
        <DrainButton agent={agent} drain={drain} />
      </div>
      {agent.state === 'ALIVE' && !agent.fit && (
        <p className="agent-unfit wrap">
          {t('agent.unfit')} {agent.unfit} {t('agent.unfit-next')}
        </p>
      )}
      {slots.map((slot) => (
        <SlotLine key={slot} name={slotName(slot)} slot={slot} use={agent.slots[slot] as Use} />
      ))}
      {devices.map(({ device, slot }) => (
        <DeviceLine key={device.id + slot} {...{ agent, device, slot, colouring }} />
      ))}
      <div className="agent-foot muted">
        <span className="number">{kernelCount(agent, t)}</span>
        {agent.disk_enforced === false && <span>{t('agent.disk-not-enforced')}</span>}
        <span>{[agent.backend, agent.version].filter(Boolean).join(' ')}</span>
      </div>
    </>
  )
}

function DrainButton({ agent, drain }: Pick<Props, 'agent' | 'drain'>) {
  const { t } = useText()
  if (!may(useMe(), 'agent', 'change', 'act')) return null
  return (
    <button
      type="button"
      className="quiet"
      onClick={() => drain(agent)}
      aria-label={t(agent.draining ? 'agent.undrain-of' : 'agent.drain-of', { name: agent.name })}
      title={t(agent.draining ? 'agent.undrain' : 'agent.drain')}
    >
      <Icon name={agent.draining ? 'start' : 'drain'} size={14} />
    </button>
  )
}

const amounts = (slot: string, use: Use) =>
  `${showAmount(microOf(use.taken), kindOf(slot))} / ${showAmount(microOf(use.capacity), kindOf(slot))}`

function SlotLine({ name, slot, use }: { name: string; slot: string; use: Use }) {
  return (
    <div className="agent-line">
      <span>{name}</span>
      <span className="bar" role="img" aria-label={`${name}: ${amounts(slot, use)}`}>
        <span
          className="bar-running"
          style={{ width: `${shareOf(microOf(use.taken), microOf(use.capacity)) * 100}%` }}
        />
      </span>
      <span className="number">{amounts(slot, use)}</span>
    </div>
  )
}

function DeviceLine({
  agent,
  device,
  slot,
  colouring,
}: {
  agent: Agent
  device: Device
  slot: string
  colouring: Colouring
}) {
  const use = device.slots[slot] as Use
  return (
    <div className="agent-line">
      <span className="device-id" title={device.model}>
        {device.id}
      </span>
      <span
        className="device"
        role="group"
        aria-label={`${device.id}: ${amounts(slot, use)} ${slotName(slot)}`}
      >
        {tilesOf(agent, device.id, slot).map((tile) => (
          <DeviceTile
            key={tile.kernel}
            tile={tile}
            colour={colouring === 'user' ? tile.userColour : tile.stateColour}
          />
        ))}
      </span>
      <span className="number">{amounts(slot, use)}</span>
    </div>
  )
}

function DeviceTile({ tile, colour }: { tile: Tile; colour: number }) {
  const text = `${tile.session} · ${tile.user} · ${tile.state} · ${tile.amount}`
  return (
    <a
      className={`tile tile-${colour}`}
      style={{ width: `${tile.share * 100}%` }}
      title={text}
      aria-label={text}
      href={hashOf(['sessions'], { open: tile.id })}
    >
      {tile.session}
    </a>
  )
}
