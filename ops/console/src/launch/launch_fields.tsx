import { NativeSelect, SegmentedControl, Slider, TextInput, Textarea } from '@mantine/core'
import { useText } from '../text/text'
import { buildWords } from '../ui/image_build'
import { EnvEditor } from './env_editor'
import { MOST_SESSIONS, type LaunchForm } from './launch_form'
import { MountEditor } from './mount_editor'
import { PresetRow } from './preset_row'
import { ResourceSlider } from './resource_slider'
import { MEMORY } from './image_memory'
import type { Choices } from './use_launch_form'

type Props = {
  form: LaunchForm
  change: (part: Partial<LaunchForm>) => void
  choices: Choices
  errorAt: (place: string) => string | undefined
}

const TYPES = ['interactive', 'batch', 'inference'] as const
const LEAST_MOST_SESSIONS = 10

export function LaunchFields(props: Props) {
  return (
    <div className="launch-fields">
      <What {...props} />
      <Mounts {...props} />
      <Amounts {...props} />
      <How {...props} />
    </div>
  )
}

/** An image's reference is an environment and its version. */
function splitImage(reference: string): [environment: string, version: string] {
  const colon = reference.lastIndexOf(':')
  return colon > reference.lastIndexOf('/')
    ? [reference.slice(0, colon), reference.slice(colon + 1)]
    : [reference, '']
}

function What({ form, change, choices, errorAt }: Props) {
  const { t } = useText()
  const [environment] = splitImage(form.image)
  const environments = [...new Set(choices.images.map((image) => splitImage(image)[0]))]
  const versions = choices.images.filter((image) => splitImage(image)[0] === environment)
  const versionText = (reference: string) => {
    const text = splitImage(reference)[1] || reference
    const missing = choices.missing.get(reference)
    return missing ? `${text} (${buildWords(missing, t)})` : text
  }
  return (
    <>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={t('session.type')}
        value={form.type}
        onChange={(type) => change({ type: type as LaunchForm['type'] })}
        data={TYPES.map((type) => ({ value: type, label: t(`type.${type}`) }))}
      />
      <div className="launch-two">
        <NativeSelect
          label={t('launch.environment')}
          error={errorAt('image')}
          value={environment}
          data={environments.length > 0 ? environments : [{ value: '', label: t('launch.no-image') }]}
          onChange={(event) =>
            change({
              image: choices.images.find((image) => splitImage(image)[0] === event.currentTarget.value) ?? '',
            })
          }
        />
        <NativeSelect
          label={t('launch.version')}
          value={form.image}
          data={versions.map((image) => ({ value: image, label: versionText(image) }))}
          onChange={(event) => change({ image: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('shell.group')}
          error={errorAt('group')}
          value={form.group}
          data={choices.groups}
          description={t('launch.internet', { reach: t(`egress.${choices.egress}`) })}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          onChange={(event) => change({ group: event.currentTarget.value })}
        />
        {choices.projects.length > 0 && (
          <NativeSelect
            label={t('session.project')}
            error={errorAt('project')}
            value={`${form.domain}/${form.project}`}
            data={choices.projects.map(({ domain, project }) => ({
              value: `${domain}/${project}`,
              label: project,
            }))}
            onChange={(event) => change(projectOf(event.currentTarget.value))}
          />
        )}
        <TextInput
          label={t('session.name')}
          placeholder={t('launch.name-default')}
          error={errorAt('name')}
          value={form.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
      </div>
    </>
  )
}

function Mounts({ form, change, choices, errorAt }: Props) {
  return (
    <MountEditor
      lines={form.mounts}
      folders={choices.folders}
      instead={choices.foldersText}
      error={errorAt('mounts')}
      onChange={(mounts) => change({ mounts })}
    />
  )
}

function projectOf(text: string) {
  const slash = text.indexOf('/')
  return { domain: text.slice(0, slash), project: text.slice(slash + 1) }
}

function Amounts({ form, change, choices, errorAt }: Props) {
  const { t } = useText()
  const set = (slot: string, value: string) => change({ amounts: { ...form.amounts, [slot]: value } })
  return (
    <div className="launch-amounts">
      <PresetRow group={form.group} apply={(amounts) => change({ amounts })} />
      {choices.totals.map((totals) => (
        <ResourceSlider
          key={totals.slot}
          totals={totals}
          least={totals.slot === MEMORY ? choices.memory.least : 0n}
          count={form.count}
          value={form.amounts[totals.slot] ?? ''}
          error={errorAt(`resources.${totals.slot}`)}
          onChange={(value) => set(totals.slot, value)}
        />
      ))}
      <SessionsSlider
        form={form}
        change={change}
        choices={choices}
        error={errorAt('count')}
        label={t('nav.sessions')}
      />
    </div>
  )
}

/** As many as the group could hold of one that asks for the least, between 10 and 100. */
function mostSessions({ totals }: Choices): number {
  const cpu = totals.find(({ slot }) => slot === 'cpu')
  const wanted = cpu ? Number(cpu.total / 1_000_000n) : LEAST_MOST_SESSIONS
  return Math.min(Math.max(wanted, LEAST_MOST_SESSIONS), MOST_SESSIONS)
}

function SessionsSlider({
  form,
  change,
  choices,
  error,
  label,
}: Pick<Props, 'form' | 'change' | 'choices'> & { error?: string; label: string }) {
  const set = (text: string) => {
    const count = Number.parseInt(text, 10)
    change({ count: Number.isNaN(count) ? 1 : count })
  }
  return (
    <div className="amount">
      <div className="amount-line">
        <span className="amount-name">{label}</span>
        <Slider
          className="grow"
          size="sm"
          min={1}
          max={mostSessions(choices)}
          step={1}
          value={Math.min(form.count, mostSessions(choices))}
          thumbLabel={label}
          onChange={(count) => change({ count })}
        />
        <TextInput
          className="amount-text"
          aria-label={label}
          inputMode="numeric"
          value={String(form.count)}
          onChange={(event) => set(event.currentTarget.value)}
        />
      </div>
      {error && (
        <p className="amount-error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

function How({ form, change, errorAt }: Props) {
  const { t } = useText()
  return (
    <>
      {form.type === 'batch' && (
        <Textarea
          label={t('launch.script')}
          autosize={false}
          rows={4}
          classNames={{ input: 'mono' }}
          placeholder={t('launch.script-hint')}
          value={form.script}
          onChange={(event) => change({ script: event.currentTarget.value })}
        />
      )}
      <TextInput
        label={t('launch.command')}
        description={form.type === 'batch' && form.script ? t('launch.script-wins') : undefined}
        placeholder={t('launch.command-hint')}
        error={errorAt('command')}
        value={form.command}
        onChange={(event) => change({ command: event.currentTarget.value })}
      />
      {form.type === 'batch' && (
        <div className="launch-two">
          <TextInput
            type="datetime-local"
            label={t('launch.start-time')}
            error={errorAt('start_time')}
            value={form.startTime}
            onChange={(event) => change({ startTime: event.currentTarget.value })}
          />
          <TextInput
            label={t('launch.after')}
            placeholder={t('launch.after-hint')}
            error={errorAt('depends_on')}
            value={form.after}
            onChange={(event) => change({ after: event.currentTarget.value })}
          />
        </div>
      )}
      <EnvEditor lines={form.env} error={errorAt('env')} onChange={(env) => change({ env })} />
    </>
  )
}
