import { useEffect, useRef } from 'react'
import { playedTo, type Span } from './span'

const TICK_MS = 400

type Playing = {
  playing: boolean
  speed: number
  moment: number
  log: Span
  /** What is shown is not there yet: it is waited for. */
  waits: () => boolean
  move: (moment: number) => void
  end: () => void
}

/** Has the moment go on by itself, as fast as it can be shown. */
export function usePlay(play: Playing) {
  const now = useRef(play)
  now.current = play
  useEffect(() => {
    if (!play.playing) return
    let last = Date.now()
    const timer = setInterval(() => {
      const { waits, moment, speed, log, move, end } = now.current
      const elapsed = Date.now() - last
      last = Date.now()
      if (waits()) return
      const next = playedTo(moment, elapsed, speed, log)
      move(next ?? log.to)
      if (next === null) end()
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [play.playing])
}
