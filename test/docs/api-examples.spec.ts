import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { format } from 'oxfmt';
import { DEMO_OWNER } from '#config/demo.js';
import { root } from '../../scripts/lib/paths.mjs';
import { Person } from '../support/callers/person.js';
import { startService, type Service } from '../support/processes/service.js';
import { blocksOf, textOf } from '../support/reading/pages.js';

const PAGE = 'docs/api.md';
/** Writes the answers into the page instead of comparing them with it. */
const isWriting = process.env['LATCHKEY_WRITE_EXAMPLES'] === '1';
const ADMINISTER = 'api-keys:administer';
const AN_HOUR = 3_600_000;
const STARTED = Date.now();
/** As far from the day of the examples as the time is from now. */
const timeOnPage = (text: string) => {
  const hours = Math.round((Date.parse(text) - STARTED) / AN_HOUR);
  return new Date(Date.parse('2026-11-27T10:00:00Z') + hours * AN_HOUR).toISOString();
};
const ids = new Map<string, string>();
/** Different ids stay different. */
const idOnPage = (id: string) => {
  const made = ids.get(id) ?? `5f0c2a52-7c9e-4e4a-9a37-0f3f5d0e8b${11 + ids.size}`;
  ids.set(id, made);
  return made;
};
/** Time, ids and secrets differ in each run; the rest of an answer is as the page shows it. */
const CHANGING: readonly [RegExp, (found: string) => string][] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, timeOnPage],
  [/lk_[0-9a-f]{24}\.[0-9a-f]{64}/g, () => 'lk_4f9a01c2d3e4b5a697887766.…'],
  [/lk_[0-9a-f]{12}…/g, () => 'lk_4f9a01c2d3e4…'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, idOnPage],
  [/(?<="next\w+":)"[^"]+"/g, () => '"MjAyNi0x…"'],
];

/** The key of the last answer on the page. */
const above: { key?: object | undefined } = {};
const isKey = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'prefix' in value && 'recent' in value;
/** JSON as the page has it. */
const fixed = (value: unknown) =>
  CHANGING.reduce((text, [changing, onPage]) => text.replaceAll(changing, onPage), JSON.stringify(value) ?? '');

/** An example is a request, an empty line, and its answer: the status, and JSON if there is any. */
const examples = blocksOf(PAGE, 'http').map((block) => {
  const [request = '', answer = ''] = block.trim().split('\n\n');
  const [line = '', ...rest] = request.split('\n');
  const headers = rest
    .filter((text) => /^[\w-]+: /.test(text))
    .map((text) => text.split(/: (.*)/, 2) as [string, string]);
  const [status = '', ...body] = answer.split('\n');
  return { block, request, line, headers, json: rest.slice(headers.length).join('\n'), status, body: body.join('\n') };
});

describe(PAGE, () => {
  let service: Service;
  let person: Person;
  const names: Record<string, string> = {
    email: DEMO_OWNER.email,
    password: DEMO_OWNER.password,
    owner: DEMO_OWNER.id,
  };
  const filled = (text: string) => text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole);
  beforeAll(async () => {
    service = await startService({ ADMIN_PERMISSION: ADMINISTER });
    const { email, id } = DEMO_OWNER;
    const account = {
      id,
      email,
      displayName: 'Ada Lovelace',
      permissions: ['systems:read', 'systems:write', ADMINISTER],
    };
    await post('/latchkey.v1.AccountService/PutAccount', account);
    names['key'] = (await (await service.person().signIn()).newKey({ name: 'CI', access: 'read-only' })).fullKey;
    person = service.person();
  });
  afterAll(() => service.stop());

  const post = (path: string, body: object | string) => {
    const token = path.includes('AccountService') ? 'dev-accounts-token' : 'dev-validator-token';
    return new Person(service.servicesUrl).call('POST', path, body, { authorization: `Bearer ${token}` });
  };

  test.each(examples)('$line is answered as the page says', async ({ block, line, headers, json, status, body }) => {
    const [method = '', path = ''] = filled(line).split(' ');
    const sent = json ? filled(json) : undefined;
    const given = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), filled(value)]));
    const caller = given['authorization'] ? service.person() : person;
    const answer = path.startsWith('/latchkey.')
      ? await post(path, sent!)
      : await caller.call(method, path, sent, given);
    if (answer.body?.fullKey) names['id'] = answer.body.apiKey.id;
    expect([line, answer.status]).toEqual([line, Number(status)]);
    if (isWriting) written.set(block, answer.body);
    else {
      const page = body ? JSON.parse(body) : undefined;
      expect(shapeOf(answer.body, page)).toEqual(shapeOf(page));
    }
  });

  const written = new Map<string, unknown>();
  afterAll(async () => {
    if (!isWriting) return;
    let page = textOf(PAGE);
    for (const { block, request, status } of examples) {
      const answer = written.get(block) as { apiKey?: object; items?: readonly object[] } | undefined;
      const text = fixed(answer && shortened(answer));
      above.key = [answer, answer?.apiKey, answer?.items?.[0]].find(isKey) ?? above.key;
      const pretty = text && (await format('answer.json', text, { printWidth: 120 })).code;
      page = page.replace(block, () => `${request}\n\n${status}\n${pretty}`);
    }
    writeFileSync(join(root, PAGE), page);
  });
});

/** As the page shows an answer: of a list its beginning, and of a key what differs from the one above. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.slice(0, value.every((each) => typeof each === 'string') ? 3 : 1).map((each) => shortened(each));
  }
  if (typeof value !== 'object' || value === null) return value;
  const before: Record<string, unknown> | undefined = isKey(value) && above.key ? { ...above.key } : undefined;
  const members = Object.entries(value).filter(([name, each]) => !before || fixed(each) !== fixed(before[name]));
  const short = Object.fromEntries(members.map(([name, each]) => [name, shortened(each)]));
  return before ? { ...short, '…': 'as above' } : short;
}

/**
 * The names of the members of an answer, and the kinds of their values, at every depth. Where the page leaves members out
 * (`…`), so does this.
 */
function shapeOf(value: unknown, page: unknown = value): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map((each) => shapeOf(each, (page as unknown[])?.[0]));
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  const onPage = (page ?? {}) as Record<string, unknown>;
  const members = Object.entries(value).filter(([name]) => name !== '…' && (!('…' in onPage) || name in onPage));
  return Object.fromEntries(members.map(([name, each]) => [name, shapeOf(each, onPage[name])]));
}
