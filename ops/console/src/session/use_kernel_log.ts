import { useEffect, useReducer, useState } from 'react'
import { callRaw, part } from '../api/client'
import { Problem } from '../api/problem'

const PIECE_BYTES = 262_144
const KEPT_CHARACTERS = 1_000_000
const PAUSE_MS = 1_000

type KernelLog = { text: string; ended: boolean; cut: boolean; error: Problem | null }
const NOTHING: KernelLog = { text: '', ended: false, cut: false, error: null }

/** A kernel's output from its last 256 KiB on, read on from where it stopped until the kernel has ended; its newest part is kept. */
export function useKernelLog(session: string, kernel: string, begun: boolean) {
  const [log, setLog] = useState(NOTHING)
  const [attempt, readAgain] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    setLog(NOTHING)
    if (!begun || !kernel) return
    const ending = new AbortController()
    void follow(session, kernel, ending.signal, (change) =>
      setLog((before) => shortened({ ...before, ...change(before) })),
    )
    return () => ending.abort()
  }, [session, kernel, begun, attempt])
  return { ...log, readAgain }
}

function shortened(log: KernelLog): KernelLog {
  if (log.text.length <= KEPT_CHARACTERS) return log
  const kept = log.text.slice(-KEPT_CHARACTERS)
  return { ...log, cut: true, text: kept.slice(kept.indexOf('\n') + 1) }
}

async function follow(
  session: string,
  kernel: string,
  signal: AbortSignal,
  tell: (change: (before: KernelLog) => Partial<KernelLog>) => void,
) {
  const decoder = new TextDecoder()
  let offset = -PIECE_BYTES
  while (!signal.aborted) {
    try {
      const query = { kernel, offset, limit: PIECE_BYTES }
      const response = await callRaw('GET', `/v1/sessions/${part(session)}/logs`, {
        query,
        signal,
        accept: 'application/octet-stream',
      })
      const piece = decoder.decode(await response.arrayBuffer(), { stream: true })
      const ended = response.headers.get('X-Berth-Log-End') === 'true'
      const skipped = offset < 0 && Number(response.headers.get('X-Berth-Log-Offset') ?? 0) > 0
      offset = Number(response.headers.get('X-Berth-Log-Next') ?? offset)
      tell((before) => ({ text: before.text + piece, ended, cut: before.cut || skipped, error: null }))
      if (ended) return
      if (piece.length === 0) await pause(signal)
    } catch (error) {
      if (signal.aborted) return
      tell(() => ({ error: error instanceof Problem ? error : null }))
      await pause(signal)
    }
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
