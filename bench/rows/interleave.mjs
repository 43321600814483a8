/**
 * Measures one side after the other, again and again, so that a busy machine slows all sides. The first round warms up
 * and does not count.
 * @template {string} Side
 * @param {number} runs
 * @param {Record<Side, () => Promise<number>>} sides
 * @returns {Promise<Record<Side, number[]>>} the values of each side, run by run
 */
export async function interleave(runs, sides) {
  const names = /** @type {Side[]} */ (Object.keys(sides));
  const measured = /** @type {Record<Side, number[]>} */ (Object.fromEntries(names.map((name) => [name, []])));
  for (let run = -1; run < runs; run += 1) {
    for (const name of names) {
      const value = await sides[name]();
      if (run >= 0) measured[name].push(value);
    }
  }
  return measured;
}
