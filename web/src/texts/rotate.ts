export const rotate = {
  title: (name: string) => `Rotate “${name}”`,
  step: (step: number, of: number, name: string) => `Step ${step} of ${of}: ${name}`,
  steps: ['Create a twin', 'Switch over', 'Revoke the old key'] as [string, string, string],
  createText:
    'The new key gets the same settings. The old one keeps working until you revoke it, so nothing stops meanwhile.',
  full: (most: number) =>
    `For a while you need both keys, but you already have ${most} of ${most} active. Revoke one that you no longer need first.`,
  verifyText:
    'Put the new key in place of the old one wherever it is used. As soon as a request arrives with it, you will see it here.',
  next: 'Next',
  newKey: 'New key',
  oldKey: 'Old key',
  lastUsed: (relative: string) => `last used ${relative}`,
  neverUsed: 'not used yet',
  waiting: 'Waiting for the first request with the new key…',
  seen: 'The new key works: a request with it has arrived.',
  toRevoke: 'Continue to revoke the old key',
  toRevokeUnseen: 'Continue without waiting',
  later: 'Finish later',
  laterHint: 'You can come back and revoke the old key from the list at any time.',
  revokeText: (name: string) => `The old “${name}” is refused from the moment you revoke it. This can’t be undone.`,
  unseen: 'The new key has not been used yet. Are you sure that nothing needs the old one?',
  submit: 'Revoke the old key',
  back: 'Back',
  done: (name: string) => `“${name}” was rotated: the old key is revoked`,
};
