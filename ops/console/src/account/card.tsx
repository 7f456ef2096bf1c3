import type { ReactNode } from 'react'

/** A titled part of a page. */
export function Card({ title, act, children }: { title: string; act?: ReactNode; children: ReactNode }) {
  return (
    <section className="card stack" aria-label={title}>
      <div className="line">
        <h2>{title}</h2>
        <span className="grow" />
        {act}
      </div>
      {children}
    </section>
  )
}
