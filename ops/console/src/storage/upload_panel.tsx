import { Button } from '@mantine/core'
import { useText } from '../text/text'
import { ProblemText } from '../ui/page_state'
import { bytesText } from './file_columns'
import { Unreadable } from './send_file'
import type { Upload, UploadState } from './uploads'
import { useUploads } from './use_uploads'

const WORDS = {
  waiting: 'upload.waiting',
  reading: 'upload.reading',
  sending: 'upload.sending',
  cut: 'upload.cut',
  exists: 'upload.exists',
  failed: 'upload.failed',
  done: 'upload.done',
} as const satisfies Record<UploadState, string>

/** What is told too often to be read out. */
const MOVING = new Set<UploadState>(['reading', 'sending'])

/** The files on their way to a folder, how far each is, and what to do about it. */
export function UploadPanel({ folder }: { folder: string }) {
  const { t } = useText()
  const { all, uploads } = useUploads()
  const here = all.filter((upload) => upload.folder === folder)
  if (here.length === 0) return null
  return (
    <section className="uploads" aria-label={t('upload.title')}>
      <div className="line">
        <h2 className="grow">{t('upload.title')}</h2>
        {here.some(({ state }) => state === 'done') && (
          <Button variant="default" size="compact-xs" onClick={() => uploads.clearDone()}>
            {t('upload.clear')}
          </Button>
        )}
      </div>
      <ul>
        {here.map((upload) => (
          <Line
            key={upload.key}
            upload={upload}
            cancel={() => uploads.cancel(upload.key)}
            again={(overwrite) => uploads.again(upload.key, overwrite)}
          />
        ))}
      </ul>
    </section>
  )
}

type LineProps = { upload: Upload; cancel: () => void; again: (overwrite: boolean) => void }

function Line({ upload, cancel, again }: LineProps) {
  const { t } = useText()
  const { path, bytes, progress, state, error } = upload
  const words = t(WORDS[state], { done: bytesText(progress), bytes: bytesText(bytes) })
  return (
    <li>
      <span className="uploads-name wrap">{path}</span>
      <progress
        aria-label={path}
        max={Math.max(bytes, 1)}
        value={state === 'done' ? Math.max(bytes, 1) : progress}
      />
      <span
        className={`uploads-words number ${state === 'cut' || state === 'exists' ? 'state-wait' : 'muted'}`}
        role={MOVING.has(state) ? undefined : 'status'}
      >
        {words}
      </span>
      <span className="line uploads-acts">
        {state === 'exists' && (
          <Act label={t('upload.replace')} of={t('upload.replace-of', { path })} act={() => again(true)} />
        )}
        {state === 'failed' && (
          <Act label={t('action.retry')} of={t('upload.again-of', { path })} act={() => again(false)} />
        )}
        {state !== 'done' && (
          <Act label={t('action.cancel')} of={t('upload.cancel-of', { path })} act={cancel} />
        )}
      </span>
      {state === 'failed' && (
        <div className="uploads-problem">
          {error instanceof Unreadable ? (
            <p className="problem">{t('upload.unreadable')}</p>
          ) : (
            <ProblemText error={error} />
          )}
        </div>
      )}
    </li>
  )
}

function Act({ label, of, act }: { label: string; of: string; act: () => void }) {
  return (
    <Button variant="default" size="compact-xs" aria-label={of} onClick={act}>
      {label}
    </Button>
  )
}
