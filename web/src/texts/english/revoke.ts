export const revoke = {
  title: (name: string) => `Revoke “${name}”?`,
  consequence: 'Every program that uses this key is refused from the moment you revoke it. This can’t be undone.',
  key: 'Key',
  lastUsed: 'Last used',
  neverUsed: 'Never used',
  recent: 'It was used within the last day: something probably still depends on it.',
  confirm: (name: string) => `Yes, stop “${name}” for good`,
  confirmNeeded: 'Tick the box to confirm',
  submit: 'Revoke key',
  done: (name: string) => `“${name}” was revoked`,
  already: {
    revoked: (name: string) => `“${name}” had already been revoked`,
    expired: (name: string) => `“${name}” had already expired`,
  },
  gone: (name: string) => `“${name}” no longer exists`,
};
