/** Jest loads set-up and teardown separately, so the set-up leaves its teardown function on globalThis. */
export default async function globalTeardown() {
  const { latchkeyTestTeardown } = /** @type {{ latchkeyTestTeardown?: () => Promise<void> }} */ (globalThis);
  await latchkeyTestTeardown?.();
}
