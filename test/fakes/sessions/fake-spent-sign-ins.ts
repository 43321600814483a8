import type { SpentSignIns } from '#application/ports.js';

export function fakeSpentSignIns(): SpentSignIns {
  const spent = new Set<string>();
  return {
    spend: async (state) => {
      const isFirst = !spent.has(state);
      spent.add(state);
      return isFirst;
    },
  };
}
