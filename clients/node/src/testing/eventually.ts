/** Waits until a probe answers true; a probe that never does runs into the test's own timeout. */
export async function eventually(probe: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await probe())) await new Promise((resolve) => setTimeout(resolve, 10));
}
