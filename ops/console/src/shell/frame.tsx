import { Loading } from '../ui/page_state'
import './shell.css'

/** The shell before it is known who it is for: as index.html has it, so that nothing moves when it is filled. */
export function Frame() {
  return (
    <div className="shell">
      <div className="nav">
        <span className="brand">
          <span className="brand-mark" aria-hidden="true" />
          <span>Berth</span>
        </span>
      </div>
      <div className="shell-head" />
      <main className="shell-main">
        <div className="page">
          <Loading />
        </div>
      </main>
    </div>
  )
}
