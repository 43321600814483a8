/** Jest loads setup and teardown separately, so the setup leaves its teardown function on globalThis. */
export default async function globalTeardown() {
  const { latchkeyTestTeardown } = /** @type {{ latchkeyTestTeardown?: () => Promise<void> }} */ (globalThis);
  await latchkeyTestTeardown?.();
}
