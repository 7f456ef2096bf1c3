import { Component, type ReactNode } from 'react'
import { Failed } from '../ui/page_state'

/** A fault of one page leaves the rest of the console in use. A page that did not come, as its file is gone, comes with a new console. */
export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error) return <Failed error={this.state.error} retry={() => location.reload()} />
    return this.props.children
  }
}
