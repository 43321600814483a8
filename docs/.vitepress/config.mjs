// The site that `npm run docs` builds from the pages of docs/, which GitHub shows unchanged.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const docs = fileURLToPath(new URL('..', import.meta.url));
const root = dirname(docs.replace(/\/$/, ''));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { repository } = JSON.parse(readFileSync(join(root, 'clients/node/package.json'), 'utf8'));
const repositoryUrl = repository.url.replace(/^git\+|\.git$/g, '');

/** @param {string} page @returns {{ text: string, link: string }} with its own heading */
function entry(page) {
  const [, text = page] = /^# (.+)$/m.exec(readFileSync(join(docs, `${page}.md`), 'utf8')) ?? [];
  return { text, link: `/${page}` };
}

/** A link to a file that is no page of docs/ leads to the repository. One to a file that does not exist fails the build. */
function linksToRepository(/** @type {any} */ md) {
  md.core.ruler.before('normalize', 'repository', (/** @type {any} */ state) => {
    const page = state.env.relativePath ?? '';
    state.src = state.src.replaceAll(
      /(\]\(|^\[\w+\]: )((?![a-z]+:|#)[^)\s#]+)/gm,
      (/** @type {string} */ whole, /** @type {string} */ before, /** @type {string} */ path) => {
        const target = resolve(docs, dirname(page), path);
        if (/^([\w-]+\.md|img\/.+)$/.test(relative(docs, target))) return whole;
        if (!existsSync(target)) throw new Error(`${page}: ${path} does not exist`);
        return `${before}${repositoryUrl}/blob/main/${relative(root, target)}`;
      },
    );
  });
}

export default {
  title: 'Latchkey',
  description: 'A self-hosted personal API key service',
  cleanUrls: true,
  rewrites: { 'README.md': 'index.md' },
  srcExclude: ['.vitepress/**', 'adr/**'],
  ignoreDeadLinks: 'localhostLinks',
  markdown: { config: linksToRepository },
  themeConfig: {
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repositoryUrl }],
    outline: [2, 3],
    sidebar: [
      { text: 'Start', items: ['quickstart', 'concepts', 'use-a-key'].map(entry) },
      {
        text: 'Guides',
        items: ['clients', 'edge', 'keys', 'accounts', 'leases', 'notices', 'migrate'].map(entry),
      },
      { text: 'Reference', items: ['api', 'errors', 'configuration', 'cli'].map(entry) },
      { text: 'Operate', items: ['operate', 'upgrading', 'runbook'].map(entry) },
      { text: 'Trust', items: ['security', 'audit', 'evidence'].map(entry) },
    ],
    nav: [{ text: version, link: `${repositoryUrl}/blob/main/CHANGELOG.md` }],
  },
};
