export const keys = {
  intro: 'Keys let scripts and tools act for you. Each one expires, and you can revoke it at any time.',
  create: 'Create API key',
  activeOf: (active: number, most: number) => {
    const count = `${active} active ${active === 1 ? 'key' : 'keys'}`;
    if (active > most) return `${count}, ${most} allowed`;
    return active < most ? `${count}, ${most - active} more possible` : `${count}, the limit`;
  },
  /** Who set a limit, and what they allow. */
  limits: {
    account: (allowed: string) => `Your organisation allows ${allowed}.`,
    service: (allowed: string) => `This service allows ${allowed}.`,
    access: 'read-only keys',
    days: (days: string) => `keys of at most ${days}`,
    keys: (most: number) => (most === 1 ? '1 active key' : `${most} active keys`),
    noNewKeys: 'No new API keys can be made here. Existing ones keep working, and you can revoke them.',
    revoke: 'Revoke one that you no longer need, then try again.',
  },
  filterLabel: 'Show keys',
  /** The count ends with "+" while some keys are not loaded. */
  filter: {
    all: (count: string) => `All ${count}`,
    active: (count: string) => `Active ${count}`,
    attention: (count: string) => `Needs attention ${count}`,
    ended: (count: string) => `Ended ${count}`,
  },
  search: 'Search by name, note or prefix',
  tableLabel: 'API keys',
  endedLabel: 'Ended API keys',
  ended: (count: string) => `Ended (${count})`,
  column: {
    name: 'Name',
    access: 'Access',
    created: 'Created',
    recent: 'Last 30 days',
    lastUsed: 'Last used',
    expires: 'Expires',
    ended: 'Ended',
    status: 'Status',
    actions: 'Actions',
  },
  access: { 'read-only': 'Read-only', 'read-and-write': 'Read and write' },
  status: { active: 'Active', expired: 'Expired', revoked: 'Revoked' },
  recent: {
    accepted: (count: string) => `Last 30 days: ${count} accepted`,
    rejected: (accepted: string, rejected: string, day: string) =>
      `Last 30 days: ${accepted} accepted, ${rejected} rejected; last on ${day}`,
  },
  neverUsed: 'Never used',
  used: (relative: string) => `Used ${relative}`,
  usedLast: { old: 'with the old key', next: 'with the new key' },
  /** A key whose successor is or was in use. */
  endsSoon: (relative: string) => `Ends ${relative}`,
  idleEnds: (date: string) => `Ends on ${date} unless it is used`,
  /** By the service's reason. Others read as the status. */
  revokedBy: {
    owner: 'Revoked by you',
    administrator: 'Revoked by an admin',
    platform: 'Revoked by your platform',
    leaked: 'Revoked · leaked',
    idle: 'Unused for too long',
    rotated: 'Replaced',
    purged: 'Revoked by your platform',
  },
  replacedBy: (prefix: string) => `by ${prefix}`,
  actionsFor: (name: string) => `Actions for ${name}`,
  detailsOfOld: 'Details of the old key',
  copyId: 'Copy ID',
  rotate: 'Rotate…',
  leaked: 'It leaked…',
  revoke: 'Revoke…',
  createAgain: 'Create again…',
  progress: {
    waiting: 'Waiting for the first use of the new key',
    untilThen: (prefix: string) => `the old key ${prefix} keeps working until then`,
    untilAfter: (prefix: string, duration: string) =>
      `the old key ${prefix} keeps working until ${duration} after that`,
    inUse: 'New key in use',
    ends: (prefix: string, relative: string) => `the old key ${prefix} ends ${relative}`,
  },
  empty: {
    title: 'No API keys yet',
    text: 'A key lets a script, a CI job or another program call the API as you. The key can only read, unless you choose more.',
    create: 'Create your first API key',
  },
  noneWith: {
    active: 'No active keys. No program can call the API as you.',
    attention: 'Nothing needs attention.',
    ended: 'No ended keys.',
  },
  noneFound: (search: string) => `No key has “${search}” in its name, note or prefix.`,
  clearSearch: 'Clear search',
  shown: (count: number) => (count === 1 ? '1 key shown' : `${count} keys shown`),
  failed: 'Your keys could not be loaded',
  staleFailed: 'Your keys could not be refreshed',
};
