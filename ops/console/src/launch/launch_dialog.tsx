import { useMemo, useState } from 'react'
import { Button, Modal } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { call } from '../api/client'
import { Problem, messageAt } from '../api/problem'
import type { SessionsCreated } from '../api/schema.gen'
import { slotName } from '../amount/amount'
import { useText, type Translate } from '../text/text'
import { useNarrow } from '../ui/use_narrow'
import { ProblemText } from '../ui/page_state'
import { CopyPanel } from './copy_panel'
import { DryRunPanel } from './dry_run_panel'
import { LaunchFields } from './launch_fields'
import { MOST_SESSIONS, launchRequest } from './launch_form'
import { NoFolderWarning } from './no_folder_warning'
import { useDryRun } from './use_dry_run'
import { useLaunchForm } from './use_launch_form'
import { viewAfter } from './view_after'
import './launch.css'

type Props = { close: () => void; launched: (id: string, view: string) => void }

/** START: what to run and with what, what would happen, LAUNCH; where no folder is chosen, it asks first. */
export default function LaunchDialog({ close, launched }: Props) {
  const { t } = useText()
  const narrow = useNarrow()
  const { form, change, choices, loaded } = useLaunchForm()
  const { request, errors } = useMemo(() => launchRequest(form), [form])
  const ready = loaded && errors.length === 0 && form.group !== ''
  const [warning, setWarning] = useState(false)
  const launch = useMutation({
    mutationFn: () => call<SessionsCreated>('POST', '/v1/sessions', { body: request }),
    onSuccess: ({ sessions }) => {
      close()
      if (sessions[0]) launched(sessions[0].id, viewAfter(sessions[0], forecast.data))
    },
    onError: () => setWarning(false),
  })
  // Once it is asked for, its own name is taken.
  const forecast = useDryRun(request, ready && launch.status !== 'pending' && launch.status !== 'success')
  const refused = launch.error ?? (forecast.asking ? null : forecast.error)
  const certainlyRefused = !forecast.asking && forecast.error instanceof Problem && forecast.error.final
  const errorAt = (place: string) => {
    const own = errors.find((error) => error.place === place)
    return own
      ? t(own.key, { most: MOST_SESSIONS })
      : messageAt(refused instanceof Problem ? refused : null, place)
  }
  return (
    <Modal
      opened
      onClose={close}
      title={t('launch.title')}
      size={1040}
      fullScreen={narrow}
      closeOnEscape={!warning}
      trapFocus={!warning}
    >
      <form
        className="launch"
        onSubmit={(event) => {
          event.preventDefault()
          if (form.mounts.length > 0) launch.mutate()
          else setWarning(true)
        }}
      >
        <LaunchFields form={form} change={change} choices={choices} errorAt={errorAt} />
        <aside className="launch-side">
          <DryRunPanel
            count={form.count}
            faulty={errors.length > 0}
            answer={forecast.data}
            error={ready ? forecast.error : null}
            asking={forecast.asking}
          />
          <CopyPanel request={request} leftOut={errors.map(({ place }) => placeText(place, t))} />
          <ProblemText error={launch.error} />
          <div className="line dialog-actions">
            <Button variant="default" onClick={close}>
              {t('action.cancel')}
            </Button>
            <Button
              type="submit"
              disabled={!ready || certainlyRefused}
              loading={launch.isPending && !warning}
            >
              {t('launch.launch')}
            </Button>
          </div>
        </aside>
      </form>
      {warning && (
        <NoFolderWarning
          count={form.count}
          launching={launch.isPending}
          launch={() => launch.mutate()}
          close={() => setWarning(false)}
        />
      )}
    </Modal>
  )
}

/** A field of the form in a person's words. */
function placeText(place: string, t: Translate): string {
  if (place.startsWith('resources.')) return slotName(place.slice('resources.'.length))
  if (place === 'count') return t('nav.sessions')
  if (place === 'mounts') return t('launch.mounts')
  return t(place === 'env' ? 'launch.env' : 'launch.command')
}
