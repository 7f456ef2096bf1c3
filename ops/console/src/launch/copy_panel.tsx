import { useState } from 'react'
import { useText } from '../text/text'
import { CopyText } from '../ui/copy_text'
import { COPY_FORMS, copyAs, type CopyForm } from './copy_as'
import type { MountingRequest } from './mounts'

/** The request as a command or a file; what of the form is not valid yet is not in it, and is named. */
export function CopyPanel({ request, leftOut }: { request: MountingRequest; leftOut: string[] }) {
  const { t } = useText()
  const [form, setForm] = useState<CopyForm>('cli')
  const text = copyAs(form, request, location.origin)
  return (
    <section className="copy-panel" aria-label={t('launch.copy-as')}>
      <div className="line">
        <div className="tabs" role="tablist" aria-label={t('launch.copy-as')}>
          {COPY_FORMS.map((one) => (
            <button
              key={one}
              type="button"
              role="tab"
              aria-selected={one === form}
              onClick={() => setForm(one)}
            >
              {t(`copy.${one}`)}
            </button>
          ))}
        </div>
        <span className="grow" />
        <CopyText text={text} hidden />
      </div>
      {leftOut.length > 0 && (
        <p className="said state-wait">{t('copy.left-out', { fields: leftOut.join(', ') })}</p>
      )}
      <pre className="mono" tabIndex={0} aria-label={t(`copy.${form}`)}>
        {text}
      </pre>
    </section>
  )
}
