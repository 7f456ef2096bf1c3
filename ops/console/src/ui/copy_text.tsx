import { useState } from 'react'
import { useText } from '../text/text'
import { Icon } from './icons'

const SHOWN_MS = 1_500

type Props = { text: string; hidden?: boolean; label?: string }

/** A text with a button that copies it, which says `label` where the text itself is hidden. */
export function CopyText({ text, hidden, label }: Props) {
  const { t } = useText()
  const says = label ?? t('action.copy')
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <span className="copy-text">
      {!hidden && <span className="mono wrap">{text}</span>}
      <button type="button" className="quiet" aria-label={says} onClick={() => void copy()}>
        <Icon name={copied ? 'ok' : 'copy'} size={14} />
        {hidden && (copied ? t('action.copied') : says)}
      </button>
      <span className="unseen" role="status">
        {copied ? t('action.copied') : ''}
      </span>
    </span>
  )
}
