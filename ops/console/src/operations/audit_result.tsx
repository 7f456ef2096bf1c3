import { useText } from '../text/text'
import { Icon } from '../ui/icons'

export type AuditJob = {
  job: string
  state: 'running' | 'good' | 'bad' | 'cancelled' | 'failed'
  checked: number
  total: number
  heads: number
  keys: number
  first_bad: string | null
  code: string | null
  message: string
}

/** How far the walk over the log is, or what came of it. */
export function AuditResult({ job }: { job: AuditJob }) {
  const { t } = useText()
  const { state, checked, total, heads, first_bad, code, message } = job
  const share = Math.min(1, checked / Math.max(1, total))
  if (state === 'running')
    return (
      <div
        className="audit-progress"
        role="progressbar"
        aria-label={t('audit.verify')}
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span className="bar">
          <span className="bar-running" style={{ width: `${share * 100}%` }} />
        </span>
        <span className="number">{t('audit.checked', { checked, total })}</span>
      </div>
    )
  if (state === 'good')
    return (
      <p className="said state-run line" role="status">
        <Icon name="ok" size={14} />
        {t('audit.good', { checked, heads })}
      </p>
    )
  return (
    <div className="problem" role="alert">
      <p>
        {first_bad
          ? t('audit.bad', { position: first_bad })
          : t(state === 'bad' ? 'audit.differs' : 'audit.failed')}
      </p>
      {message && <p>{message}</p>}
      {code && <p className="mono muted">{code}</p>}
    </div>
  )
}
