import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useMe } from '../app/account_context'
import { hashOf } from '../app/router'
import { mountable, ownerText, type Folder } from '../storage/folder'
import type { TextKey } from '../text/en'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { HOME, MOST_MOUNTS, lineOf, type MountLine } from './mounts'

type Props = {
  lines: MountLine[]
  folders: Folder[]
  instead: TextKey | null
  error?: string
  onChange: (lines: MountLine[]) => void
}

/** Folders that the session mounts: which, under what name, and whether it may write there. */
export function MountEditor({ lines, folders, instead, error, onChange }: Props) {
  const { t } = useText()
  const me = useMe()
  const offered = mountable(folders)
  const left = offered.filter(({ id }) => lines.every((line) => line.id !== id))
  const change = (at: number, line: MountLine) =>
    onChange(lines.map((one, index) => (index === at ? line : one)))
  const add = ([folder]: Folder[]) => folder && onChange([...lines, lineOf(folder, folders, me)])
  return (
    <fieldset className="env">
      <legend>{t('launch.mounts')}</legend>
      {lines.map((line, at) => (
        <Line
          key={line.id}
          n={at + 1}
          line={line}
          choices={offered.filter(({ id }) => id === line.id || left.some((one) => one.id === id))}
          choose={(folder) => change(at, lineOf(folder, folders, me))}
          change={(part) => change(at, { ...line, ...part })}
          remove={() => onChange(lines.filter((_, index) => index !== at))}
        />
      ))}
      {error && (
        <p className="amount-error" role="alert">
          {error}
        </p>
      )}
      {instead ? (
        <p className="muted said">{t(instead)}</p>
      ) : offered.length === 0 ? (
        <p className="muted said">
          {t('launch.mounts-none')} <a href={hashOf(['storage'])}>{t('nav.storage')}</a>
        </p>
      ) : (
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<Icon name="add" size={12} />}
          disabled={left.length === 0 || lines.length >= MOST_MOUNTS}
          onClick={() => add(left)}
        >
          {t('launch.mount-add')}
        </Button>
      )}
    </fieldset>
  )
}

type LineProps = {
  n: number
  line: MountLine
  choices: Folder[]
  choose: (folder: Folder) => void
  change: (part: Partial<MountLine>) => void
  remove: () => void
}

function Line({ n, line, choices, choose, change, remove }: LineProps) {
  const { t } = useText()
  const me = useMe()
  const chosen = (id: string) => choices.find((folder) => folder.id === id)
  return (
    <div className="mount-line">
      <NativeSelect
        aria-label={t('launch.mount-folder', { n })}
        value={line.id}
        data={choices.map((folder) => ({
          value: folder.id,
          label: `${folder.name} (${ownerText(folder, me, t)})`,
        }))}
        onChange={(event) => {
          const folder = chosen(event.currentTarget.value)
          if (folder) choose(folder)
        }}
      />
      <span className="mount-target">
        <span className="mono muted">{HOME}/</span>
        <TextInput
          className="grow"
          aria-label={t('launch.mount-target', { n })}
          placeholder={line.name}
          maxLength={64}
          value={line.target}
          onChange={(event) => change({ target: event.currentTarget.value })}
        />
      </span>
      <Checkbox
        label={t('launch.mount-read-only')}
        aria-label={t('launch.mount-read-only-of', { n })}
        title={line.forced ? t('launch.mount-forced') : undefined}
        disabled={line.forced}
        checked={line.readOnly}
        onChange={(event) => change({ readOnly: event.currentTarget.checked })}
      />
      <button type="button" className="quiet" aria-label={t('launch.mount-remove', { n })} onClick={remove}>
        <Icon name="close" size={12} />
      </button>
    </div>
  )
}
