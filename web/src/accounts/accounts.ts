/** What only people with service accounts need. One part of the script, because several would split the first one, too. */
export { AccountOfKeys, AccountSwitch } from './AccountSwitch';
export { LostAccount, ServiceAccount } from './ServiceAccount';
