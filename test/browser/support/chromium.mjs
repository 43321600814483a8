import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

/** Without windows and desktop features, which halves its work. Pages cannot detect it. */
const PROGRAM = 'chromium-headless-shell';
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/**
 * A browser that several suites use at once: each connects to it, and sees and closes its own pages alone. It ends with
 * the process that started it, also when that is killed, for then the pipe between the two closes.
 */
export function startChromium() {
  const candidates = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, PROGRAM));
  const executablePath = candidates.find(isExecutable);
  if (!executablePath) throw new Error(`${PROGRAM} is not on the PATH: npm test installs it`);
  // Otherwise Playwright would keep this process alive on a signal to end.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  return chromium.launchServer({ executablePath, host: '127.0.0.1', args: ARGUMENTS, ...signals });
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
