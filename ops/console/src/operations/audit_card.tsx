import { useState } from 'react'
import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call, part } from '../api/client'
import { Problem } from '../api/problem'
import { saveText } from '../ui/save_text'
import { useText } from '../text/text'
import { CopyText } from '../ui/copy_text'
import { Icon } from '../ui/icons'
import { ProblemText } from '../ui/page_state'
import { RelativeTime } from '../ui/time'
import { AuditResult, type AuditJob } from './audit_result'

export type Head = {
  signed: boolean
  key?: string
  current_key: string | null
  position?: string
  count?: number
  signed_at?: string
}

const HEAD_EVERY_MS = 10_000
const JOB_EVERY_MS = 1_000

/** What proves that the log was not changed: its newest signed head, to keep elsewhere, and a walk over all of it. */
export function AuditCard() {
  const { t } = useText()
  const [id, setId] = useState<string | null>(null)
  const head = useQuery({
    queryKey: ['audit-head'],
    queryFn: ({ signal }) => call<Head>('GET', '/v1/audit/head', { signal }),
    refetchInterval: HEAD_EVERY_MS,
  })
  const begin = useMutation({
    mutationFn: () => call<{ job: string }>('POST', '/v1/audit', { body: {} }),
    onSuccess: ({ job }) => setId(job),
  })
  const job = useQuery({
    queryKey: ['audit', id],
    queryFn: ({ signal }) => call<AuditJob>('GET', `/v1/audit/${part(id ?? '')}`, { signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data && state.data.state !== 'running' ? false : JOB_EVERY_MS),
  })
  const runs = begin.isPending || (id !== null && (!job.data || job.data.state === 'running') && !job.error)
  if (head.error instanceof Problem && head.error.status === 404) return null
  return (
    <section className="operations-card" aria-label={t('audit.title')}>
      <div className="line">
        <h2>{t('audit.title')}</h2>
        <span className="grow" />
        {head.data?.signed && (
          <Button
            variant="default"
            leftSection={<Icon name="download" size={14} />}
            onClick={() =>
              saveText('berth-head.json', 'application/json', JSON.stringify(head.data, null, 2))
            }
          >
            {t('audit.save')}
          </Button>
        )}
        <Button loading={runs} onClick={() => begin.mutate()}>
          {t('audit.verify')}
        </Button>
      </div>
      {head.data && <HeadFacts head={head.data} />}
      {job.data && <AuditResult job={job.data} />}
      <ProblemText error={head.error ?? begin.error ?? job.error} />
    </section>
  )
}

function HeadFacts({ head }: { head: Head }) {
  const { t } = useText()
  const key = head.key ?? head.current_key
  return (
    <dl className="audit-facts">
      <dt>{t('audit.head')}</dt>
      <dd>
        {head.signed ? (
          <>
            <span className="mono">{head.position}</span> <RelativeTime at={head.signed_at} />
          </>
        ) : (
          <span className="muted">{t('audit.unsigned')}</span>
        )}
      </dd>
      <dt>{t('audit.key')}</dt>
      <dd>{key ? <CopyText text={key} /> : '–'}</dd>
    </dl>
  )
}
