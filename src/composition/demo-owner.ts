import type { Accounts, Passwords } from '../application/ports.js';
import { DEMO_OWNER } from '../config/demo.js';

/** Something that a person has to mend before the service starts, in one line. */
class DemoPasswordInUse extends Error {}

/** A database that once ran with demo values keeps the demo owner, whose password everybody knows. */
export async function refuseDemoPassword(accounts: Accounts, passwords: Passwords): Promise<void> {
  const owners = [await accounts.find(DEMO_OWNER.id), await accounts.findByEmail(DEMO_OWNER.email)];
  for (const owner of owners) {
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
