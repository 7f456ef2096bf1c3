import type { ReactNode } from 'react'
import { hashOf } from '../app/router'
import { showNumber } from '../plot/series'
import { useText } from '../text/text'
import { RelativeTime } from '../ui/time'
import { isLate, type Operations } from './operations'

/** What is so now, each with its number; what needs a look says so in words. */
export function StateTiles({ data }: { data: Operations }) {
  const { t } = useText()
  const { leader, quarantine, agents, disks } = data
  const late = agents.filter(isLate).length
  return (
    <div className="operations-tiles">
      <Tile title={t('operations.leader')}>
        {leader ? (
          <>
            <strong className="wrap">{leader.id}</strong>
            <span className="muted">
              {leader.since ? (
                <>
                  {t('operations.epoch', { n: leader.epoch })} <RelativeTime at={leader.since} />
                </>
              ) : (
                t('operations.epoch-before', { n: leader.epoch })
              )}
            </span>
          </>
        ) : (
          <strong className="state-fail">{t('operations.no-leader')}</strong>
        )}
      </Tile>
      <Tile title={t('admin.quarantine')}>
        {quarantine.count === 0 ? (
          <strong>{t('operations.quarantine-none')}</strong>
        ) : (
          <a className="state-fail" href={hashOf(['admin', 'quarantine'])}>
            {t('operations.quarantine', { n: quarantine.count })}
          </a>
        )}
      </Tile>
      <Tile title={t('operations.beats')}>
        <strong>
          {t('time.agents', {
            alive: agents.filter(({ state }) => state === 'ALIVE').length,
            all: agents.length,
          })}
        </strong>
        {late > 0 && <span className="state-wait">{t('operations.late', { n: late })}</span>}
      </Tile>
      {disks.map((disk) => (
        <Tile key={disk.name} title={t('operations.disk', { name: disk.name })}>
          <strong className="number">
            {t('operations.used-of', {
              used: showNumber(disk.used_bytes, 'bytes'),
              total: showNumber(disk.total_bytes, 'bytes'),
            })}
          </strong>
          <span className="bar" aria-hidden="true">
            <span
              className="bar-running"
              style={{ width: `${(disk.used_bytes / Math.max(1, disk.total_bytes)) * 100}%` }}
            />
          </span>
        </Tile>
      ))}
    </div>
  )
}

function Tile({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="operations-tile" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}
