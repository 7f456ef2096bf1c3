import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import { en, type TextKey } from './en'

export type Catalogue = Record<TextKey, string>
type Language = 'en' | 'ko'
export type Translate = (key: TextKey, values?: Record<string, string | number>) => string

const KEPT = 'berth.language'

export function fill(template: string, values: Record<string, string | number> = {}): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

const english: Translate = (key, values) => fill(en[key], values)

type Text = { t: Translate; language: Language; setLanguage(language: Language): void }
const TextContext = createContext<Text>({ t: english, language: 'en', setLanguage: () => {} })

export const useText = () => useContext(TextContext)

function firstLanguage(): Language {
  const kept = localStorage.getItem(KEPT)
  if (kept === 'en' || kept === 'ko') return kept
  return navigator.language.startsWith('ko') ? 'ko' : 'en'
}

let korean: Catalogue | null = null

/** What the first frame is to be written in. English is always there; Korean comes when it is chosen. */
export async function loadLanguage(language = firstLanguage()) {
  if (language === 'ko') korean ??= (await import('./ko')).ko
}

/** The texts of the chosen language to all below. */
export function TextProvider({ children }: { children: ReactNode }) {
  const [language, choose] = useState<Language>(firstLanguage)
  const [loaded, setLoaded] = useState(korean !== null)

  useEffect(() => {
    void loadLanguage(language).then(() => setLoaded(korean !== null))
    document.documentElement.lang = language
  }, [language])

  const setLanguage = useCallback((chosen: Language) => {
    localStorage.setItem(KEPT, chosen)
    choose(chosen)
  }, [])

  const text = useMemo<Text>(() => {
    const catalogue = (language === 'ko' && loaded && korean) || en
    return { t: (key, values) => fill(catalogue[key], values), language, setLanguage }
  }, [language, loaded, setLanguage])
  if (language === 'ko' && !loaded) return null
  return <TextContext value={text}>{children}</TextContext>
}
