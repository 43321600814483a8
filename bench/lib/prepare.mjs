import { step } from '../../scripts/lib/run.mjs';
import { ensureTools } from '../../scripts/tools.mjs';

/** Installs and builds the service, h2load and Redis. */
export async function prepare() {
  await step('scripts/install.mjs');
  await step('scripts/build.mjs');
  await ensureTools({
    'redis-server': { debian: 'redis-server', neededBy: 'the bench' },
    h2load: { debian: 'nghttp2-client', neededBy: 'the load of the bench' },
  });
}
