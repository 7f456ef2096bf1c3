import { Component, type ReactNode } from 'react'
import { Failed } from '../ui/page_state'

/** A fault of one page leaves the rest of the console in use. */
export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error)
      return <Failed error={this.state.error} retry={() => this.setState({ error: null })} />
    return this.props.children
  }
}
