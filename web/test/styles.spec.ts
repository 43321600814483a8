import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

/** The rules of a stylesheet without at-rules, as pairs of a selector and what it declares. */
function rulesOf(file: string): { readonly selector: string; readonly body: string }[] {
  const css = readFileSync(join(process.cwd(), file), 'utf8').replaceAll(/\/\*[^]*?\*\//g, '');
  return [...css.matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selectors = '', body = '']) =>
    selectors.split(/,(?![^()]*\))/).map((selector) => ({ selector: selector.trim(), body })),
  );
}

const own = (file: string) => rulesOf(`web/src/${file}`);
const mantine = (name: string) => rulesOf(`node_modules/@mantine/core/styles/${name}.css`);

/** How many classes, attributes and pseudo-classes count: what decides between two rules, before their order. */
const weight = (selector: string) =>
  selector.replaceAll(/:where\([^()]*\)/g, '').match(/\.[\w-]+|\[[^\]]+\]|:(?!:|not|is)[a-z-]+/g)?.length ?? 0;

describe('the panel’s rules for the lines around fields', () => {
  test.each([['.field', '--input-bd:', 'Input', /data-variant='default'/]])(
    'weigh more than those of a host’s Mantine, which may come later: %s',
    (name, property, sheet, usual) => {
      const sets = ({ body }: { body: string }) => body.includes(property);
      const ours = own('theme.module.css')
        .filter(({ selector }) => selector.startsWith(name))
        .filter(sets);
      const theirs = mantine(sheet)
        .filter(sets)
        .filter(({ selector }) => usual.test(selector));
      expect(ours).toHaveLength(1);
      expect(theirs.length).toBeGreaterThan(0);
      // The scheme counts as in versions of Mantine that write it without `:where`.
      const most = Math.max(...theirs.map(({ selector }) => weight(selector.replaceAll(/:where\(([^()]*)\)/g, '$1'))));
      // `:not([data-error])` counts once in each.
      expect(weight(ours[0]!.selector)).toBeGreaterThan(most);
    },
  );
});

test('the outline of a password field with the focus is not cut off, though Mantine cuts off what is outside of it', () => {
  const cut = (rule: { body: string }) => rule.body.includes('overflow:');
  const [theirs] = mantine('PasswordInput').filter(cut);
  const [ours] = own('ui/surface.module.css').filter(cut);
  expect(theirs!.body).toContain('hidden');
  expect(ours!.body).toContain('visible');
  expect(weight(ours!.selector)).toBeGreaterThan(weight(theirs!.selector));
});

test.each([
  ['panel/Panel.module.css', '.create', 'Button'],
  ['ui/list.module.css', '.fold', 'UnstyledButton'],
])(
  'the rules of %s for %s weigh more than one class, because those of the library may come later',
  (file, name, sheet) => {
    const ours = own(file).filter(({ selector }) => selector.endsWith(name));
    expect(ours.length).toBeGreaterThan(0);
    for (const { selector } of ours) expect(weight(selector)).toBeGreaterThan(1);
    expect(weight(mantine(sheet)[0]!.selector)).toBe(1);
  },
);

test('every control has the ring of the focus, and a link that covers its row has it around the row alone', () => {
  const [ring] = own('ui/surface.module.css').filter(({ selector }) => selector.includes(':focus-visible'));
  for (const control of ['a', 'button', 'input', 'select', 'textarea'])
    expect(ring!.selector).toMatch(new RegExp(`[( ]${control}[,)]`));
  const [none] = own('keys/KeyList.module.css').filter(({ body }) => body.includes('outline: none'));
  // Of the two in its `:not`, only one counts.
  expect(weight(none!.selector)).toBeGreaterThan(weight(ring!.selector) - 1);
});

test('where the system chooses the colours, what is above the page has an edge, and marks keep their colours', () => {
  const declares = (file: string, name: string, declaration: string) =>
    own(file).some(({ selector, body }) => selector.endsWith(name) && body.includes(declaration));
  expect(declares('ui/Dialog.module.css', '.root .content', 'outline: 1px solid transparent')).toBe(true);
  expect(declares('ui/Announcer.module.css', '.message', 'outline: 1px solid transparent')).toBe(true);
  // Their transparent border would have a colour, and cut the line below them.
  expect(declares('ui/surface.module.css', ":not([aria-selected='true'])", 'border-bottom-width: 0')).toBe(true);
  for (const [file, mark] of [
    ['key/StatusBadge.module.css', '.status::before'],
    ['history/chart.module.css', '.totals [data-kind]::before'],
    ['activity/activity.module.css', '.sentence::before'],
  ] as const)
    expect([mark, declares(file, mark, 'forced-color-adjust: none')]).toEqual([mark, true]);
});

test('a step of a rotation has until when on a line of its own', () => {
  const [until] = own('details/details.module.css').filter(({ selector }) => selector === '.steps .until');
  expect(until!.body).toContain('display: grid');
});

test('words that every row of a short table has are hidden in a long one alone', () => {
  const hidden = own('restrictions/picker.module.css').filter(({ body }) => body.includes('opacity: 0'));
  expect(hidden).toHaveLength(1);
  for (const { selector } of hidden) expect(selector).toMatch(/^\.grid\[data-long\] /);
});

test('room for what a leaked key did is kept only while that loads', () => {
  const kept = own('attention/Attention.module.css').filter(({ body }) => body.includes('min-height'));
  expect(kept).toHaveLength(2);
  for (const { selector } of kept) expect(selector).toMatch(/^\.week\[data-loading/);
});

test('the heading of the panel stays on one line, so that it does not grow when the switch of accounts comes', () => {
  const [title] = own('panel/Panel.module.css').filter(({ selector }) => selector === '.title');
  expect(title!.body).toContain('flex: none');
});

describe('over all stylesheets of the panel', () => {
  const sheets = readdirSync('web/src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.module.css'),
  );
  const rules = sheets.filter((file) => !file.startsWith('page')).flatMap(own);
  const declared = (property: string) =>
    rules
      .filter(({ selector }) => selector !== '.surface')
      .flatMap(({ body }) => body.split(';').map((each) => each.trim()))
      .filter((each) => each.startsWith(`${property}:`));

  test('links have one colour, and what is set off in the dark has one surface', () => {
    expect(declared('color').filter((each) => /anchor|indigo-8.*indigo-2/.test(each))).toEqual([]);
    const lines = ['background: light-dark(var(--mantine-color-gray-3), var(--mantine-color-dark-4))'];
    const surfaces = declared('background').filter((each) => /gray-[0-3].*dark-\d/.test(each));
    expect(surfaces.filter((each) => !lines.includes(each))).toEqual([]);
  });

  test('rows of the list have the same space above and below, with and without a note or a rotation', () => {
    const spaces = own('keys/KeyList.module.css').filter(
      ({ selector, body }) => /^\.row(?![\w-])(?!.*(\[|time|svg))/.test(selector) && body.includes('padding-block:'),
    );
    expect(spaces.map(({ selector, body }) => [selector, /padding-block: [^;]+/.exec(body)?.[0]])).toEqual([
      ['.row', 'padding-block: 7px'],
    ]);
  });
});
