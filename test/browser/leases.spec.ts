import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { GuardProcess } from '../leases/processes/guard-process.js';
import { machineNow } from '../leases/processes/leased-owner.js';
import { eventually } from '../support/eventually.js';
import { printFigures } from '../support/jest/long-form.js';
import { startService } from '../support/processes/service.js';
import { button, chooseAction, row, showEnded } from './support/screen.js';
import { Stage } from './support/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start(
    await startService({ LEASE_MS: '2000', RATE_LIMIT_PER_SECOND: '1000', RATE_LIMIT_BURST: '1000' }),
  );
});
afterEach(() => stage.clear());
afterAll(() => stage.stop());

test('the screen says "revoked" once no guard grants the key any more, a hundred requests a second through leases', async () => {
  const owner = await stage.newOwner();
  const { fullKey } = await owner.person.newKey({ name: 'CI deploy' });
  const options = { target: stage.service.grpcTarget, leases: true, paceMs: 10, permissions: [''] };
  const guard = await GuardProcess.start('node', options);
  try {
    guard.check([fullKey]);
    await eventually(async () => guard.decisions.filter(({ isFromLease }) => isFromLease).length > 100);
    const { page } = await stage.open({ owner });
    let answeredAt = Infinity;
    page.on('response', (response) => {
      if (response.url().endsWith('/revoke')) answeredAt = machineNow();
    });
    await chooseAction(page, 'CI deploy', 'Revoke…');
    await page.getByLabel('Yes, revoke it permanently').check();
    const sentAt = machineNow();
    await button(page, 'Revoke key').click();
    await page.getByText(/^No active keys\./).waitFor();
    const shownAt = machineNow();
    await showEnded(page);
    await row(page, 'CI deploy').getByText('Revoked by you').waitFor();
    await eventually(async () =>
      guard.decisions.some(({ startedAt, status }) => status === 401 && startedAt > shownAt),
    );

    const grants = guard.decisions.filter(({ status }) => status === 200);
    const last = grants.at(-1)!;
    const since = (at: number) => (at - sentAt).toFixed(1);
    printFigures('a revoke on the screen', {
      grants: grants.length,
      'of leases': grants.filter(({ isFromLease }) => isFromLease).length,
      'last granted request started, ms after the click': since(last.startedAt),
      answered: since(answeredAt),
      shown: since(shownAt),
      'first refusal': since(guard.decisions.find(({ status }) => status === 401)!.startedAt),
    });
    expect(last.startedAt).toBeLessThan(answeredAt);
    expect(answeredAt).toBeLessThanOrEqual(shownAt);
  } finally {
    await guard.stop();
  }
});
