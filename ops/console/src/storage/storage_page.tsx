import { FolderPage } from './folder_page'
import './storage.css'

export default function StoragePage() {
  return <FolderPage />
}
