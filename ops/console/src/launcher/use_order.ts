import { useEffect, useState } from 'react'
import { NO_ORDER, takeOrder, type StartOrder } from './start_order'

const ID = /^#[0-9a-f-]{36}$/

/** What the address says that the launcher has; null until it came. A window that is loaded again finds the app started. */
export function useOrder() {
  const [id] = useState(() => (ID.test(location.hash) ? location.hash.slice(1) : ''))
  const [order, setOrder] = useState<StartOrder | 'gone' | null>(id ? null : NO_ORDER)
  useEffect(() => {
    if (!id) return
    let left = false
    void takeOrder(id).then((taken) => {
      if (left) return
      history.replaceState(null, '', location.pathname)
      setOrder(taken ?? 'gone')
    })
    return () => {
      left = true
    }
  }, [id])
  return { order, doWithout: () => setOrder(NO_ORDER) }
}
