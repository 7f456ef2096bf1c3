import { Suspense, lazy } from 'react'
import { usePlace } from '../app/router'
import { Loading } from '../ui/page_state'
import { FolderPage } from './folder_page'
import './storage.css'

const FilePage = lazy(() => import('./file_page'))

/** The folders, or the files of the one that the place names. */
export default function StoragePage() {
  const [, folder] = usePlace().path
  if (!folder) return <FolderPage />
  return (
    <Suspense fallback={<Loading />}>
      <FilePage key={folder} folder={folder} />
    </Suspense>
  )
}
