// `npm run mutate -- src/domain/keys`: makes many small changes to the files of a folder (Stryker) and reports which changes
// the specs of that folder do not notice. Not part of `npm test`, because it takes long.
import { spawnSync } from 'node:child_process';

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('Name a folder of src: npm run mutate -- src/domain/keys');
  process.exit(1);
}
const args = ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', '--mutate', `${folder}/**/!(*.spec).ts`];
const env = { ...process.env, MUTATION_SPECS: `${folder}/**/*.spec.ts` };
process.exitCode = spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1;
