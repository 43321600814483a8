/** Jest loads set-up and teardown apart from each other: the one leaves the other its work on globalThis. */
export default async function globalTeardown() {
  const { latchkeyTestTeardown } = /** @type {{ latchkeyTestTeardown?: () => Promise<void> }} */ (globalThis);
  await latchkeyTestTeardown?.();
}
