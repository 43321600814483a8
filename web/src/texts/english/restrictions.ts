import type { AccessLevel } from '../../api/types';

/** What limits a key: its permissions and networks. */
export const restrictions = {
  permissions: 'Permissions',
  all: {
    'read-only': 'Everything I may read',
    'read-and-write': 'Everything I may read and write',
  } satisfies Record<AccessLevel, string>,
  allText: 'Changes whenever your own permissions change.',
  only: 'Only these',
  onlyText: 'You choose. It never gets more than these.',
  search: 'Search permissions',
  selected: (count: number, of: number) => `${count} of ${of} selected`,
  showSelected: 'Only selected',
  showAll: 'Show all',
  none: 'You have no permissions that a key with this access can use.',
  noneFound: (search: string) => `No permission contains “${search}”.`,
  noneSelected: 'No permissions selected.',
  onlyOne: 'Only one of them…',
  which: (resource: string) => `Which one of “${resource}”?`,
  whichExample: 'Its ID, for example 42',
  whichWrong: 'Use letters, digits and . _ - (and / between parts), at most 100 characters in all',
  add: 'Add',
  tooHigh: (list: string) => `Left out, because a read-only key can only read: ${list}.`,
  lost: (list: string) => `Left out, because you can’t give it any more: ${list}.`,
  /** @param more how many the list leaves out */
  listed: (list: string, more: number) => (more > 0 ? `${list} and ${more} more` : list),
  required: 'Choose at least one permission, or everything',
  tooMany: (most: number) => `Choose at most ${most} permissions, or everything`,
  allowedNetworks: 'Allowed networks',
  anyAddress: 'Any address',
  networksExample: '203.0.113.0/24\n2001:db8::/32',
  networksHint: (most: number) => `One per line: IPv4 or IPv6, a range or a single address. At most ${most}.`,
  networksNote:
    'Think of where the script runs, which may be elsewhere. Requests from other addresses are refused, and those from an unknown address, too: always with token introspection.',
  addOwn: 'Add my current address',
  tooManyNetworks: (most: number) => `Enter at most ${most} networks`,
  count: (count: number) => `${count} permissions`,
  networks: (count: number) => (count === 1 ? '1 network' : `${count} networks`),
  yours: {
    'read-only': 'Everything you may read',
    'read-and-write': 'Everything you may read and write',
  } satisfies Record<AccessLevel, string>,
  more: (count: number) => `and ${count} more`,
  same: (limits: string) => `It has the same limits as the old one: ${limits}.`,
};
