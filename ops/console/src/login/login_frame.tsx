import type { FormEvent, ReactNode } from 'react'
import { useText } from '../text/text'
import './login.css'

/** The quiet page around a login: what this is, a form, the language. */
export function LoginFrame({
  title,
  submit,
  children,
}: {
  title: string
  submit: (event: FormEvent) => void
  children: ReactNode
}) {
  const { t, language, setLanguage } = useText()
  return (
    <main className="login">
      <form className="login-form stack" onSubmit={submit} aria-label={title}>
        <div className="login-brand">
          <span className="brand-mark" aria-hidden="true" />
          <span className="grow">Berth</span>
          <button
            type="button"
            className="quiet"
            lang={language === 'en' ? 'ko' : 'en'}
            onClick={() => setLanguage(language === 'en' ? 'ko' : 'en')}
          >
            {language === 'en' ? '한국어' : 'English'}
          </button>
        </div>
        <h1>{title}</h1>
        {children}
      </form>
      <p className="muted">{t('login.what')}</p>
    </main>
  )
}
