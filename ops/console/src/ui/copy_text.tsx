import { useState } from 'react'
import { useText } from '../text/text'
import { Icon } from './icons'

const SHOWN_MS = 1_500

/** A text with a button that copies it. */
export function CopyText({ text, hidden }: { text: string; hidden?: boolean }) {
  const { t } = useText()
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <span className="copy-text">
      {!hidden && <span className="mono wrap">{text}</span>}
      <button type="button" className="quiet" aria-label={t('action.copy')} onClick={() => void copy()}>
        <Icon name={copied ? 'ok' : 'copy'} size={14} />
        {hidden && t(copied ? 'action.copied' : 'action.copy')}
      </button>
      <span className="unseen" role="status">
        {copied ? t('action.copied') : ''}
      </span>
    </span>
  )
}
