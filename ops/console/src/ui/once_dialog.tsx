import { Button, Modal } from '@mantine/core'
import { useText } from '../text/text'
import { CopyText } from './copy_text'
import './edit_dialog.css'

export type Secret = { label: string; text: string }

/** What the server tells only once, such as a link or a key's secret: nothing but its button closes it. */
export function OnceDialog({
  title,
  hint,
  secrets,
  close,
}: {
  title: string
  hint: string
  secrets: Secret[]
  close: () => void
}) {
  const { t } = useText()
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size={560}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <div className="stack">
        <p className="said">{hint}</p>
        {secrets.map(({ label, text }) => (
          <div key={label} className="once">
            <h2>{label}</h2>
            <CopyText text={text} />
          </div>
        ))}
        <div className="line dialog-actions">
          <Button data-autofocus onClick={close}>
            {t('once.done')}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
