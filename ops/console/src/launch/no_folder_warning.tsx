import { Button, Modal } from '@mantine/core'
import { useText } from '../text/text'

type Props = { count: number; launching: boolean; launch: () => void; close: () => void }

/** Asked at every launch that mounts no folder: what such a session writes ends with it. */
export function NoFolderWarning({ count, launching, launch, close }: Props) {
  const { t } = useText()
  return (
    <Modal opened onClose={close} title={t('launch.no-folder')} size={480} withCloseButton={false}>
      <div className="stack">
        <p className="said">{t(count > 1 ? 'launch.no-folder.several' : 'launch.no-folder.effect')}</p>
        <p className="said">{t('launch.no-folder.hint')}</p>
        <div className="line dialog-actions">
          <Button variant="default" onClick={close}>
            {t('action.cancel')}
          </Button>
          <Button data-autofocus loading={launching} onClick={launch}>
            {t('launch.without-folder')}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
