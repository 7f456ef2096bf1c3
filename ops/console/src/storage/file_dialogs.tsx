import { useState } from 'react'
import { Button, Modal, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useText } from '../text/text'
import { ProblemText } from '../ui/page_state'
import { changeFiles, joinPath, type FileEntry } from './file_api'
import { useFilesAgain } from './use_files'

export type FileDoing = { kind: 'mkdir' } | { kind: 'rename' | 'remove'; entry: FileEntry }

type Props = { folder: string; path: string; doing: FileDoing; close: () => void }

/** A folder within a folder, another name, or a removal. These are no events of the journal: they take no reason. */
export function FileDialogs({ folder, path, doing, close }: Props) {
  const { t } = useText()
  const again = useFilesAgain(folder)
  const before = doing.kind === 'mkdir' ? '' : doing.entry.name
  const [name, setName] = useState(before)
  const change = useMutation({
    mutationFn: async () => {
      await changeFiles(folder, changeOf(doing, path, name.trim()))
      await again()
    },
    onSuccess: close,
  })
  const removes = doing.kind === 'remove'
  const isName = name.trim() !== '' && !/[/\0]/.test(name)
  return (
    <Modal opened onClose={close} title={titleOf(doing, t)} size={460}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate()
        }}
      >
        {removes ? (
          <p className="said">
            {t(doing.entry.type === 'folder' ? 'files.remove-all' : 'files.remove-effect')}
          </p>
        ) : (
          <TextInput
            label={t('session.name')}
            required
            autoComplete="off"
            maxLength={255}
            data-autofocus
            error={name === '' || isName ? undefined : t('files.bad-name')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
        <ProblemText error={change.error} />
        <div className="line dialog-actions">
          <Button variant="default" onClick={close}>
            {t('action.cancel')}
          </Button>
          <Button
            type="submit"
            color={removes ? 'red' : undefined}
            data-autofocus={removes || undefined}
            disabled={!removes && (!isName || name === before)}
            loading={change.isPending}
          >
            {t(removes ? 'action.remove' : doing.kind === 'mkdir' ? 'action.add' : 'action.save')}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

function titleOf(doing: FileDoing, t: ReturnType<typeof useText>['t']): string {
  if (doing.kind === 'mkdir') return t('storage.create')
  return t(doing.kind === 'rename' ? 'files.rename-of' : 'files.remove-of', { name: doing.entry.name })
}

function changeOf(doing: FileDoing, path: string, name: string) {
  if (doing.kind === 'mkdir') return { op: 'mkdir' as const, path: joinPath(path, name) }
  const at = joinPath(path, doing.entry.name)
  if (doing.kind === 'rename') return { op: 'rename' as const, path: at, to: joinPath(path, name) }
  return { op: 'remove' as const, path: at, ...(doing.entry.type === 'folder' && { recursive: true }) }
}
