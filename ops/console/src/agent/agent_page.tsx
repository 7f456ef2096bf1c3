import { useState } from 'react'
import { NativeSelect, TextInput } from '@mantine/core'
import type { Agent } from '../api/schema.gen'
import { usePlaceQuery } from '../app/router'
import { useReadAgain, useTable } from '../live/use_live'
import { useCurrentGroup } from '../shell/current_group'
import { useText } from '../text/text'
import { byName } from '../ui/by_name'
import { Icon } from '../ui/icons'
import { Failed, Loading, PageState } from '../ui/page_state'
import { AgentBox } from './agent_box'
import { DrainDialog } from './drain_dialog'
import { NoAgents } from './no_agents'
import './agent.css'

const COLOURINGS = ['user', 'state'] as const
export type Colouring = (typeof COLOURINGS)[number]

export default function AgentPage() {
  const { t } = useText()
  const place = usePlaceQuery()
  const { groups } = useCurrentGroup()
  const { rows, loaded, failure } = useTable('agents')
  const readAgain = useReadAgain('agents')
  const [draining, setDraining] = useState<Agent | null>(null)
  const text = place.get('q').toLowerCase()
  const group = place.get('group')
  const colouring: Colouring = place.get('colour') === 'state' ? 'state' : 'user'
  const agents = [...rows.values()]
    .filter((agent) => (!group || agent.group === group) && agent.name.toLowerCase().includes(text))
    .sort((a, b) => byName(a.name, b.name))
  return (
    <section className="page page-long">
      <div className="page-head">
        <h1>{t('nav.agents')}</h1>
        {loaded && !failure && (
          <span className="muted number">
            {t('agent.summary', {
              alive: agents.filter(({ state }) => state === 'ALIVE').length,
              all: agents.length,
            })}
          </span>
        )}
        <span className="grow" />
        <TextInput
          className="filter-text"
          aria-label={t('agent.filter')}
          placeholder={t('agent.filter')}
          leftSection={<Icon name="search" size={14} />}
          value={place.get('q')}
          onChange={(event) => place.set({ q: event.currentTarget.value })}
        />
        <NativeSelect
          aria-label={t('shell.group')}
          value={group}
          onChange={(event) => place.set({ group: event.currentTarget.value })}
          data={[{ value: '', label: t('session.any-group') }, ...groups]}
        />
        <NativeSelect
          aria-label={t('agent.colour')}
          value={colouring}
          onChange={(event) => place.set({ colour: event.currentTarget.value })}
          data={COLOURINGS.map((by) => ({ value: by, label: t(`agent.by-${by}`) }))}
        />
      </div>
      {failure ? (
        <Failed error={failure} retry={readAgain} />
      ) : !loaded ? (
        <Loading />
      ) : (
        rows.size === 0 && <NoAgents />
      )}
      {rows.size > 0 && agents.length === 0 && <PageState icon="search" title={t('agent.none-match')} />}
      <ul className="agents" aria-label={t('nav.agents')}>
        {agents.map((agent) => (
          <AgentBox key={agent.name} agent={agent} colouring={colouring} drain={setDraining} />
        ))}
      </ul>
      {draining && <DrainDialog agent={draining} close={() => setDraining(null)} />}
    </section>
  )
}
