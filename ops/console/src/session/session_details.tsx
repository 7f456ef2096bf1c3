import type { ReactNode } from 'react'
import type { Session } from '../api/schema.gen'
import { hashOf } from '../app/router'
import { commandText } from '../launch/command_line'
import { HOME, type SessionMount } from '../launch/mounts'
import { useText, type Translate } from '../text/text'
import { Configuration } from '../ui/configuration'
import { CopyText } from '../ui/copy_text'
import { nameOfShared } from '../ui/shared_with'
import { RelativeTime } from '../ui/time'
import { ReasonText } from './reason_text'

export function SessionDetails({ session }: { session: Session }) {
  const { t } = useText()
  const lines: [string, ReactNode][] = [
    [t('session.id'), <CopyText key="id" text={session.id} />],
    [t('session.configuration'), <Configuration key="c" resources={session.resources} />],
    [t('session.mounts'), <Mounts key="m" session={session} />],
    [t('session.image'), session.image || '–'],
    [t('session.type'), session.type],
    [t('session.group'), session.group],
    [t('session.owner'), `${session.owner.domain} / ${session.owner.project} / ${session.owner.user}`],
    [t('storage.shared'), sharedText(session, t)],
    [
      t('session.command'),
      session.command.length > 0 ? (
        <code key="cmd" className="mono wrap">
          {commandText(session.command)}
        </code>
      ) : (
        '–'
      ),
    ],
    [t('session.priority'), session.priority],
    [t('session.created'), <RelativeTime key="t" at={session.created_at} />],
    [t('session.reason'), <ReasonText key="r" session={session} />],
  ]
  const env = Object.entries(session.env ?? {})
  return (
    <section className="stack-tight">
      <h2>{t('session.details')}</h2>
      <dl className="details">
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {env.length > 0 && (
          <div>
            <dt>{t('launch.env')}</dt>
            <dd className="mono wrap">
              {env.map(([name, value]) => (
                <span key={name} className="block">
                  {name}={value}
                </span>
              ))}
            </dd>
          </div>
        )}
      </dl>
    </section>
  )
}

function sharedText({ shares, shared, owner }: Session, t: Translate): string {
  if (shared) return t('session.shared-by', { name: owner.user })
  return (shares ?? []).map((share) => nameOfShared(share, owner.domain)).join(', ') || '–'
}

/** Where each folder lies in the session; a folder's name leads to its files. */
function Mounts({ session }: { session: Session & { mounts?: SessionMount[] | null } }) {
  const { t } = useText()
  if (!session.mounts?.length) return t('session.no-mounts')
  return session.mounts.map(({ folder, target, read_only }) => (
    <span key={target} className="block wrap">
      <span className="mono">
        {HOME}/{target}
      </span>{' '}
      ← <a href={hashOf(['storage', folder.id])}>{folder.name ?? folder.id}</a>
      {read_only && ` (${t('access.read')})`}
    </span>
  ))
}
