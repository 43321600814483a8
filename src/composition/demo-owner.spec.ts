import { expect, test } from '@jest/globals';
import { openFakes } from '../../test/fakes/fake-application.js';
import { client, outcomeOf } from '../../test/support/calls.js';
import { DEMO_OWNER, demoOwner } from '../config/demo.js';
import { openDemoOwner } from './demo-owner.js';

test('each start of a demo finds its owner, also after a purge', async () => {
  const app = openFakes();
  const signIn = () => outcomeOf(app.signIn.execute(DEMO_OWNER.email, DEMO_OWNER.password, client()));
  for (const isPurged of [false, true, false]) {
    if (isPurged) await app.purgeAccount.execute(DEMO_OWNER.id, undefined, { actorId: 'admin:ada', client: client() });
    await openDemoOwner(app.putAccount, demoOwner(true));
    expect(await signIn()).toBe('ok');
  }
});
