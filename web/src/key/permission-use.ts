import { OTHER_PERMISSIONS, UNKNOWN_PERMISSION } from '../../../src/domain/usage/key-history';

export { RECORDED_DAYS, whatItUses, type NoProposal } from '../../../src/domain/usage/narrower';

/** Stands in the place of a permission for requests that no permission of the key granted, as far as it is recorded. */
const UNNAMED = ['', UNKNOWN_PERMISSION, OTHER_PERMISSIONS] as const;
export type Unnamed = (typeof UNNAMED)[number];

export const isUnnamed = (permission: string): permission is Unnamed => UNNAMED.some((each) => each === permission);
