import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { isThorough } from '../support/jest/long-form.js';

const folder = join(root, 'clients/java');
/** Maven keeps what it downloads in the home folder, outside of the checkout, so that a second run works offline. */
const downloaded = join(homedir(), '.m2/repository');
/** The first run fetches Maven's plugins and Spring Boot. */
const DOWNLOADING_MS = 900_000;

// scripts/tools.mjs installs Maven and a JDK, or names them as missing and fails.
async function mvn(cwd: string, ...args: string[]): Promise<void> {
  const { code, output } = await run('mvn', ['-q', '-B', '-ntp', ...args], { cwd });
  if (code !== 0) throw new Error(`mvn ${args.join(' ')}:\n${output}`);
}

describe('the Java guard', () => {
  // The compiler's warnings are errors in both forms. Each start of Maven and its builds takes seconds.
  const [name, ...goals] = isThorough
    ? [
        'is formatted, passes every table by servlets and by Spring, and protects the example with a fake Latchkey and a real one',
        ...['-Pexample', 'spotless:check', 'test'],
      ]
    : ['passes every table in its core', '-pl', 'latchkey-guard', 'test'];
  test(name!, () => mvn(folder, ...goals), DOWNLOADING_MS);

  if (isThorough) {
    test(
      'works as its README is pasted into an empty project',
      async () => {
        const place = mkdtempSync(join(tmpdir(), 'latchkey-java-'));
        // What is downloaded, but none of our packages: another checkout may install its own.
        const local = `-Dmaven.repo.local=${linked(join(place, 'repository'))}`;
        await mvn(folder, 'install', '-DskipTests', local);
        const project = join(place, 'my-service');
        const files = [
          ['pom.xml', 'Install'],
          ['src/main/java/com/example/MyService.java', 'Spring Boot'],
          ['src/test/java/com/example/MyServiceTest.java', 'Tests of your service'],
        ] as const;
        for (const [file, heading] of files) {
          mkdirSync(dirname(join(project, file)), { recursive: true });
          writeFileSync(join(project, file), pasted(heading));
        }
        await mvn(project, 'test', local);
        rmSync(place, { recursive: true });
      },
      DOWNLOADING_MS,
    );
  }

  test('has a core of java.net.http and Jackson alone', () => {
    const pom = readFileSync(join(folder, 'latchkey-guard/pom.xml'), 'utf8');
    const dependencies = [...pom.matchAll(/<dependency>([^]*?)<\/dependency>/g)].map(([, text]) => text!);
    const needed = dependencies.filter((text) => !text.includes('<scope>test</scope>'));
    expect(needed.map((text) => /<artifactId>(.*)<\/artifactId>/.exec(text)?.[1])).toEqual(['jackson-databind']);
  });
});

/** The code under a heading of the README. */
function pasted(heading: string): string {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const [, code] = new RegExp(`\n#+ ${heading}\n[^]*?\n\`\`\`[a-z]+\n([^]*?\n)\`\`\``).exec(readme) ?? [];
  if (code === undefined) throw new Error(`The README has no code under ${heading}`);
  return code;
}

/** A local repository that shares what is downloaded, with a folder of its own for our packages. */
function linked(repository: string): string {
  mkdirSync(join(repository, 'dev'), { recursive: true });
  for (const part of ['.', 'dev']) {
    const from = join(downloaded, part);
    const names = existsSync(from) ? readdirSync(from) : [];
    for (const name of names.filter((each) => !['dev', 'latchkey'].includes(each))) {
      symlinkSync(join(from, name), join(repository, part, name));
    }
  }
  return repository;
}
