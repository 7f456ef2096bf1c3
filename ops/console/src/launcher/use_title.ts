import { useEffect } from 'react'

export function useTitle(app: string, session: string) {
  useEffect(() => {
    const before = document.title
    document.title = `${app} – ${session}`
    return () => {
      document.title = before
    }
  }, [app, session])
}
