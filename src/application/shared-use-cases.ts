import { ManagedAccounts } from './managed-account.js';
import { ChangeAccount } from './accounts/change-account.js';
import { FindAccounts } from './accounts/find-accounts.js';
import { PutAccount } from './accounts/put-account.js';
import { KeysFromCode } from './keys/keys-from-code.js';
import { ImportKeys } from './keys/import-keys.js';
import { ShownKeys } from './keys/shown-keys.js';
import { PauseKey, RevokeKeys } from './keys/revoke-keys.js';
import { RecordDueEnds } from './keys/record-due-ends.js';
import type { MakingSettings } from './keys/make-api-keys.js';
import type { Ports } from './ports.js';

export interface SharedSettings extends MakingSettings {
  readonly passwordSignIn: boolean;
  readonly importPrefixes: readonly string[];
}

export type SharedUseCases = ReturnType<typeof buildSharedUseCases>;

/** The use cases that both the service and the command line call. */
export function buildSharedUseCases(
  ports: Pick<Ports, 'accounts' | 'keys' | 'dueKeys' | 'recordingGate' | 'passwords'>,
  settings: SharedSettings,
  isRehearsal = false,
) {
  const { accounts, keys } = ports;
  const { keyPolicy, keyPrefix, importPrefixes } = settings;
  const dueEnds = new RecordDueEnds(ports.dueKeys, ports.recordingGate);
  const revokeKeys = new RevokeKeys(accounts, keys, importPrefixes);
  return {
    dueEnds,
    shownKeys: new ShownKeys({ keys, accounts, dueEnds, keyPolicy, importPrefixes }),
    revokeKeys,
    pauseKey: new PauseKey(accounts),
    keysFromCode: new KeysFromCode({ keys, accounts, revoke: revokeKeys, making: settings }),
    importKeys: new ImportKeys(accounts, { marker: keyPrefix, importPrefixes, policy: keyPolicy }, isRehearsal),
    managedAccounts: new ManagedAccounts(accounts),
    putAccount: new PutAccount(accounts, ports.passwords, settings.passwordSignIn),
    findAccounts: new FindAccounts(accounts),
    changeAccount: new ChangeAccount(accounts),
  };
}
