import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { times } from '../support/application/calls.js';
import { newOwner } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { printFigures } from '../support/jest/long-form.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { PatroniCluster } from './ground/patroni-cluster.js';
import { Ledger } from './load/ledger.js';

const ENV = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000', DATABASE_PATIENCE_MS: '120' };
const CHANGES = 4;

let cluster: PatroniCluster;
beforeAll(async () => {
  cluster = await PatroniCluster.start();
});
afterAll(() => cluster.stop());

/**
 * Both standbys die. Then changes are made. Then the leader's machine is lost, and a standby
 * becomes the primary.
 */
describe.each([
  { settings: 'synchronous_mode alone', isStrict: false, names: '' },
  { settings: 'synchronous_mode_strict', isStrict: true, names: '*' },
])('a cluster without a standby, with $settings', ({ settings, isStrict, names }) => {
  let plain: Service;
  let careful: Service;
  beforeAll(async () => {
    await cluster.configure({ synchronous_mode_strict: isStrict });
    await cluster.whole();
    plain = await startService({ ...ENV, DATABASE_URL: cluster.hostsUrl });
    careful = await startService({ ...ENV, DATABASE_URL: cluster.hostsUrl, REQUIRE_SYNCHRONOUS: 'on' });
  });
  afterAll(async () => {
    await careful.stop();
    await plain.stop();
  });

  test(
    isStrict
      ? 'loses no answered change'
      : 'loses answered changes with its leader; REQUIRE_SYNCHRONOUS refuses them instead',
    async () => {
      const ledger = new Ledger();
      const { id: ownerId, email, person } = await newOwner(plain);
      const carefully = await careful.person().signIn(email);
      const { apiKey, fullKey } = await person.newKey();
      const leader = await cluster.leader();
      const standbys = cluster.nodes.filter((node) => node !== leader);
      for (const { machine } of standbys) await machine.kill();
      const show = 'SHOW synchronous_standby_names';
      await eventually(async () => (await sql(leader.url(), show))[0]!['synchronous_standby_names'] === names);

      const readiness = async () => (await plain.person().call('GET', '/readyz')).body;
      if (!isStrict) await eventually(async () => JSON.stringify(await readiness()).includes('without a synchronous'));
      const created = await Promise.all(times(CHANGES, () => person.create()));
      for (const { status, body } of created)
        if (status === 201) ledger.note({ id: body.apiKey.id, fullKey: body.fullKey });
      if ((await person.revoke(apiKey.id)).status === 200) ledger.revoked.push({ id: apiKey.id, fullKey });
      expect((await carefully.create()).status).toBe(503);
      expect((await plain.clients.validate(fullKey)).grant?.ownerId).toBe(
        ledger.revoked.length > 0 ? undefined : ownerId,
      );

      await leader.machine.kill();
      for (const standby of standbys) standby.start();
      await cluster.failTo(standbys[0]!);
      leader.start();
      const lost = await ledger.lostIn(cluster.urlOf(standbys[0]!));
      printFigures(`no standby, ${settings}`, { answered: ledger.changes, lost: lost.created + lost.revoked });
      const answered = isStrict ? 0 : CHANGES + 1;
      expect([ledger.changes, lost.created + lost.revoked]).toEqual([answered, answered]);
    },
  );
});
