// The service that suites share: what src/main.ts starts from the build, but with cheap passwords (cheap-passwords.ts).
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import argon2 from 'argon2';
import { root } from '../../scripts/lib/paths.mjs';
import { CHEAP_COST } from './cheap.mjs';

/** @param {string} file */
const built = (file) => import(pathToFileURL(join(root, 'dist', file)).href);
const { readConfig } = await built('config/config.js');
const { startLatchkey } = await built('composition/start.js');
const { Argon2Passwords } = await built('infrastructure/outbound/passwords/argon2-passwords.js');

const { stop } = await startLatchkey(readConfig(process.env), new Argon2Passwords(argon2, undefined, CHEAP_COST));
const end = () => stop().then(() => process.exit(0));
process.once('SIGTERM', end).once('disconnect', end);
process.send?.({ ready: true });
