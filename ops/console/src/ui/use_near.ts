import { useEffect, useRef, useState } from 'react'

const MARGIN = '800px 0px'

/** Whether an element is in sight of the page, or nearly: what is far need not be drawn. */
export function useNear<T extends Element>() {
  const ref = useRef<T>(null)
  const [near, setNear] = useState(false)
  useEffect(() => {
    if (!ref.current) return
    const root = document.getElementById('main')
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? true), {
      root,
      rootMargin: MARGIN,
    })
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [])
  return { ref, near }
}
