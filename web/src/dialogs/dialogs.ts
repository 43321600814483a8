/** The dialogs, which are loaded after the list. */
export { CreateKeyDialog } from '../create/CreateKeyDialog';
export { RevokeDialog } from './RevokeDialog';
export { LeakedDialog } from './LeakedDialog';
export { ResumeDialog } from './ResumeDialog';
export { RotateDialog } from './RotateDialog';
