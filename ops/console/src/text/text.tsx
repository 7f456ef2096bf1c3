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

/** English is always there; Korean comes when it is chosen. */
export function TextProvider({ children }: { children: ReactNode }) {
  const [language, choose] = useState<Language>(firstLanguage)
  const [korean, setKorean] = useState<Catalogue | null>(null)

  useEffect(() => {
    if (language === 'ko') void import('./ko').then((module) => setKorean(module.ko))
    document.documentElement.lang = language
  }, [language])

  const setLanguage = useCallback((chosen: Language) => {
    localStorage.setItem(KEPT, chosen)
    choose(chosen)
  }, [])

  const text = useMemo<Text>(() => {
    const catalogue = (language === 'ko' && korean) || en
    return { t: (key, values) => fill(catalogue[key], values), language, setLanguage }
  }, [language, korean, setLanguage])
  if (language === 'ko' && !korean) return null
  return <TextContext value={text}>{children}</TextContext>
}
