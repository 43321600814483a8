/** Waits until `probe` returns true. If it never does, the test's own timeout ends the test. */
export async function eventually(probe: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await probe())) await new Promise((resolve) => setTimeout(resolve, 10));
}
