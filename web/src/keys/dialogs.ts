/** The dialogs, which are loaded when a person is about to open one. */
export { CreateKeyDialog } from '../create/CreateKeyDialog';
export { RevokeDialog } from '../revoke/RevokeDialog';
export { LeakedDialog } from '../rotate/LeakedDialog';
export { RotateDialog } from '../rotate/RotateDialog';
