import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { Event } from '../api/schema.gen'
import { useText } from '../text/text'
import { Loading } from '../ui/page_state'

const DecisionSteps = lazy(() => import('./decision_steps'))

const DECISIONS = ['SessionScheduled', 'SessionReserved']

/** Below a placement: how it was decided, worked out again on what the scheduler saw. Asked for, since it costs the server a past state. */
export function DecisionSection({ event }: { event: Event }) {
  const { t } = useText()
  const [wanted, setWanted] = useState(false)
  if (!DECISIONS.includes(event.type)) return null
  if (!wanted)
    return (
      <div>
        <Button variant="default" onClick={() => setWanted(true)}>
          {t('decision.show')}
        </Button>
      </div>
    )
  return (
    <Suspense fallback={<Loading />}>
      <DecisionSteps position={event.id} />
    </Suspense>
  )
}
