import type { ReactNode } from 'react'
import { Drawer } from '@mantine/core'
import { useText } from '../text/text'

type Props = { title: ReactNode; size: number; close: () => void; children: ReactNode }

/** All of one row, at the side of its list; its title has the focus first. */
export function DetailDrawer({ title, size, close, children }: Props) {
  const { t } = useText()
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size={size}
      title={
        <span className="drawer-title line" tabIndex={-1} data-autofocus>
          {title}
        </span>
      }
      closeButtonProps={{ 'aria-label': t('action.close') }}
      overlayProps={{ backgroundOpacity: 0.25 }}
    >
      {children}
    </Drawer>
  )
}
