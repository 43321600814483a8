import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { requireCompatible } from '../../scripts/proto-baseline.mjs';

function copyOfContract(): string {
  const proto = mkdtempSync(join(tmpdir(), 'proto-'));
  cpSync(join(root, 'proto'), proto, { recursive: true });
  return proto;
}

/** @param part must be in the file: a planted change that changes nothing would prove nothing */
function plant(proto: string, file: string, part: string | RegExp, replacement: string) {
  const path = join(proto, 'latchkey/v1', file);
  const before = readFileSync(path, 'utf8');
  const after = before.replace(part, replacement);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
}

describe('the contract', () => {
  it('is compatible with the last release', () => requireCompatible());

  describe('with changes that break clients of the last release', () => {
    const changes: [string, string, RegExp, string, RegExp][] = [
      ['a field removed', 'api_key_service.proto', /\n  string client_ip = 6;/, '', /"6" with name "client_ip"/],
      ['a field renumbered', 'api_key_service.proto', /string permission = 5;/, 'string permission = 98;', /"5" with/],
      [
        'a field of another type',
        'api_key_service.proto',
        /string user_agent = 7;/,
        'bytes user_agent = 7;',
        /"7".* type/,
      ],
      ['a field renamed', 'account_service.proto', /display_name/g, 'full_name', /"display_name" to "full_name"/],
      ['an enum value removed', 'api_key_service.proto', /\n\s*REASON_EXPIRED = 3;/, '', /value "3" on enum "Reason"/],
      ['a call removed', 'account_service.proto', /\n  rpc DeleteAccount[^\n]*/, '', /"DeleteAccount"/],
    ];
    let refusal: string;
    beforeAll(async () => {
      const proto = copyOfContract();
      for (const [, file, part, replacement] of changes) plant(proto, file, part, replacement);
      refusal = await requireCompatible(proto).then(String, ({ message }: Error) => message);
      rmSync(proto, { recursive: true });
    });

    it.each(changes)('is refused with %s, which the message names', (...[, , , , named]) =>
      expect(refusal).toMatch(named),
    );

    it('is refused with advice on what to do instead', () => {
      expect(refusal).toContain('Released clients would break: add fields, never change them.');
    });
  });

  it('may have a new field', async () => {
    const proto = copyOfContract();
    plant(proto, 'api_key_service.proto', /string client_ip = 6;/, 'string client_ip = 6;\n  string client_port = 99;');
    await requireCompatible(proto);
    rmSync(proto, { recursive: true });
  });
});
