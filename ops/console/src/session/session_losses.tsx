import { useQuery } from '@tanstack/react-query'
import { call, part } from '../api/client'
import type { Losses, Session } from '../api/schema.gen'
import { useText } from '../text/text'
import { lossPath, lossWords, sizeOf } from './loss_words'

const LOOKED = 5
const NAMED = 8

/** What ends with sessions that run, as far as it can be looked at. None of it keeps anybody from ending them. */
export function SessionLosses({ sessions }: { sessions: Session[] }) {
  const { t } = useText()
  const running = sessions.filter(({ status }) => status === 'RUNNING')
  if (running.length === 0) return null
  return (
    <div className="losses" role="status" aria-label={t('losses.title')}>
      {running.slice(0, LOOKED).map((session) => (
        <LossesOf key={session.id} session={session} named={sessions.length === 1 ? NAMED : 0} />
      ))}
      {running.length > LOOKED && (
        <p className="muted">{t('losses.unasked', { n: running.length - LOOKED })}</p>
      )}
    </div>
  )
}

function LossesOf({ session, named }: { session: Session; named: number }) {
  const { t } = useText()
  const { data, error } = useQuery({
    queryKey: ['losses', session.id],
    queryFn: ({ signal }) => call<Losses>('GET', `/v1/sessions/${part(session.id)}/losses`, { signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const words = error ? t('losses.unknown') : data ? lossWords(data, t) : t('losses.looking')
  return (
    <>
      <p className={data && data.files > 0 ? 'said' : 'said muted'}>
        {named === 0 && <strong>{session.name}: </strong>}
        {words}
      </p>
      {data && named > 0 && <Names losses={data} named={named} />}
    </>
  )
}

function Names({ losses: { names, files }, named }: { losses: Losses; named: number }) {
  const { t } = useText()
  if (names.length === 0) return null
  const shown = names.slice(0, named)
  return (
    <ul className="terminate-list losses-names">
      {shown.map((name, index) => (
        <li key={index}>
          <span className="grow wrap mono" dir="auto">
            {lossPath(name, names)}
          </span>
          <span className="number">{sizeOf(name.bytes)}</span>
        </li>
      ))}
      {files > shown.length && <li className="muted">{t('losses.more', { n: files - shown.length })}</li>}
    </ul>
  )
}
