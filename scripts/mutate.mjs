// `npm run mutate -- src/domain/keys`: makes many small changes to the files of a folder (Stryker) and reports which changes
// the specs of that folder do not notice. Not part of `npm test`, because it takes long.
import './lib/node-version.mjs';
import { step } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

await main(async () => {
  const [folder] = process.argv.slice(2);
  if (!folder) throw new Stop('Name a folder of src: npm run mutate -- src/domain/keys');
  const args = ['run', '--mutate', `${folder}/**/!(*.spec).ts`];
  const env = { ...process.env, MUTATION_SPECS: `${folder}/**/*.spec.ts` };
  process.exitCode = await step('node_modules/@stryker-mutator/core/bin/stryker.js', args, { env }).code;
});
