/** The dialogs, which are loaded when a person is about to open one. */
export { CreateKeyDialog } from '../create/CreateKeyDialog';
export { RevokeDialog } from './RevokeDialog';
export { LeakedDialog } from './LeakedDialog';
export { ResumeDialog } from './ResumeDialog';
export { RotateDialog } from './RotateDialog';
