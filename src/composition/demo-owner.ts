import type { PutAccount, PutAccountCommand } from '#application/accounts/put-account.js';
import type { Accounts } from '#application/account-ports.js';
import type { Passwords } from '#application/sign-in-ports.js';
import { DEMO_OWNER } from '#config/demo.js';
import { LatchkeyError } from '#domain/errors.js';

/** Creates an account that a demo starts with. After a purge, this needs a newer version than any before. */
export async function openDemoAccount(putAccount: PutAccount, account: PutAccountCommand): Promise<void> {
  try {
    await putAccount.execute(account);
  } catch (error) {
    if (!(error instanceof LatchkeyError) || error.code !== 'stale_version') throw error;
    await putAccount.execute({ ...account, version: BigInt(Date.now()) });
  }
}

/** Throws if this database once ran with demo values and the demo owner still has the public password. */
export async function refuseDemoPassword(accounts: Accounts, passwords: Passwords): Promise<void> {
  const [byId, byEmail] = [await accounts.find(DEMO_OWNER.id), await accounts.findByEmail(DEMO_OWNER.email)];
  // There is usually one account, and checking a password is slow.
  for (const owner of byId?.id === byEmail?.id ? [byId] : [byId, byEmail]) {
    if (!owner?.passwordHash) continue;
    // Hashes are salted, so only checking the password can show whether it is the same.
    const { matches } = await passwords.verify(DEMO_OWNER.password, owner.passwordHash);
    if (!matches) continue;
    const profile = `--email ${quoted(owner.email)} --display-name ${quoted(owner.displayName)} --permissions ''`;
    const fix = `openssl rand -hex 32 | latchkey account put ${quoted(owner.id)} ${profile} --password-from -`;
    throw new Error(
      `DEMO is off, but the published password of the demo owner still works. Replace it: ${fix} (or start with an empty database, if this one was only a demo)`,
    );
  }
}

/** Quotes the text as one word for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
