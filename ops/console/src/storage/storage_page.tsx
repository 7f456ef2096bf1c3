import { Suspense, lazy } from 'react'
import { useMoment, usePlace } from '../app/router'
import { Loading, NoPast } from '../ui/page_state'
import { FolderPage } from './folder_page'
import './storage.css'

const FilePage = lazy(() => import('./file_page'))

/** The folders, or the files of the one that the place names; of files nothing is known but what they are now. */
export default function StoragePage() {
  const [, folder] = usePlace().path
  const isPast = useMoment() !== ''
  if (!folder) return <FolderPage />
  if (isPast) return <NoPast />
  return (
    <Suspense fallback={<Loading />}>
      <FilePage key={folder} folder={folder} />
    </Suspense>
  )
}
