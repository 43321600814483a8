import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../../scripts/lib/paths.mjs';
import { run } from '../../../scripts/lib/run.mjs';
import { obtain, type Obtained } from '#test/packages/fresh-clone.js';
import { Project } from '#test/packages/project.js';
import { snippetOf } from '#test/support/reading/pages.js';

const README = 'web/README.md';
const SECTION = 'In your page';
const ADDRESS = '"https://keys.example.com"';

/** A page of the README names a fixed address; in the tests its own address says where the service is. */
const apiOf = `{new URLSearchParams(location.search).get('api')!}`;

const CHOICE = `import { allGreek } from './other-words';
const texts: Texts = location.search.includes('german') ? german : allGreek(english);

`;

/** Builds the three as `npx vite build` does, in one process. */
const BUILD = `import { build } from 'vite';
for (const root of ['.', 'host', 'words']) await build({ root, logLevel: 'warn' });`;

export interface HostPages {
  readonly obtained: Obtained;
  readonly project: Project;
  /** Where the built page is, of each of the three. */
  readonly built: Readonly<Record<'host' | 'bare' | 'words', string>>;
}

/**
 * An empty folder in which the README's commands were run. It contains the packed panel, the page of the README
 * (`bare`), the page of examples/panel-host, and a page with other texts.
 */
export async function makeHostPages(): Promise<HostPages> {
  const folder = mkdtempSync(join(tmpdir(), 'panel-'));
  const obtained = await obtain(snippetOf(README, SECTION, 'sh'), folder);
  const packages = [...obtained.companions, '@types/react', '@types/react-dom'];
  const project = new Project(join(folder, 'my-page'), 'module', packages, 'web');
  await project.install(obtained.tarball);
  const [html, main] = [snippetOf(README, SECTION, 'html'), snippetOf(README, SECTION, 'tsx')];
  if (!main.includes(ADDRESS)) throw new Error(`no ${ADDRESS} in it`);
  const pages = { index: html, main: main.replace(ADDRESS, apiOf) };
  project.write('index.html', pages.index);
  project.write('main.tsx', pages.main);
  cpSync(join(root, 'examples/panel-host'), join(project.folder, 'host'), { recursive: true });
  // It does not say that it can be dark.
  project.write('words/index.html', pages.index.replace(/^.*"color-scheme".*\n/m, ''));
  project.write('words/main.tsx', inOtherWords(pages.main));
  cpSync(join(root, 'test/browser/support/other-words.ts'), join(project.folder, 'words/other-words.ts'));
  const { code, output } = await run(process.execPath, ['--input-type=module', '--eval', BUILD], {
    cwd: project.folder,
  });
  if (code !== 0) throw new Error(output);
  const dist = (page: string) => join(project.folder, page, 'dist');
  return { obtained, project, built: { host: dist('host'), bare: dist('.'), words: dist('words') } };
}

/** The page of the README, whose panel gets other words by the name in its address. */
function inOtherWords(main: string): string {
  return main
    .replace('{ ApiKeysPanel }', '{ ApiKeysPanel, english, german, type Texts }')
    .replace('createRoot(', `${CHOICE}createRoot(`)
    .replace('getToken={', 'texts={texts} getToken={');
}
