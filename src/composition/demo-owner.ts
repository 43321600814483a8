import type { PutAccount, PutAccountCommand } from '../application/accounts/put-account.js';
import type { Accounts, Passwords } from '../application/ports.js';
import { DEMO_OWNER } from '../config/demo.js';
import { LatchkeyError } from '../domain/errors.js';

/** A demo begins with its owner, also after somebody has tried a purge on it: that takes a version newer than any. */
export async function openDemoOwner(putAccount: PutAccount, owner: PutAccountCommand): Promise<void> {
  try {
    await putAccount.execute(owner);
  } catch (error) {
    if (!(error instanceof LatchkeyError) || error.code !== 'stale_version') throw error;
    await putAccount.execute({ ...owner, version: BigInt(Date.now()) });
  }
}

/** Something that a person has to mend before the service starts, in one line. */
class DemoPasswordInUse extends Error {}

/** A database that once ran with demo values keeps the demo owner, whose password everybody knows. */
export async function refuseDemoPassword(accounts: Accounts, passwords: Passwords): Promise<void> {
  const [byId, byEmail] = [await accounts.find(DEMO_OWNER.id), await accounts.findByEmail(DEMO_OWNER.email)];
  // Mostly one account, and a look at a password takes its time.
  for (const owner of byId?.id === byEmail?.id ? [byId] : [byId, byEmail]) {
    if (!owner?.passwordHash) continue;
    // Hashes are salted: only a look at the password itself tells.
    const { matches } = await passwords.verify(DEMO_OWNER.password, owner.passwordHash);
    if (!matches) continue;
    const profile = `--email ${quoted(owner.email)} --display-name ${quoted(owner.displayName)} --permissions ''`;
    const mend = `openssl rand -hex 32 | latchkey account put ${quoted(owner.id)} ${profile} --password-from -`;
    throw new DemoPasswordInUse(
      `DEMO is off, but the published password of the demo owner still works here. Replace it: ${mend} (or, if all of this was a demo, begin with an empty database)`,
    );
  }
}

/** As a shell takes it for one word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
