const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/(?:Headless)?Chrome\//, 'Chrome'],
  [/Version\/.*Safari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

const LONGEST = 40;

/** "Firefox, Linux" for a browser, "curl/8.5.0" for a program. */
export function shortUserAgent(userAgent: string): string {
  const named = (table: typeof BROWSERS | typeof SYSTEMS) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = userAgent.startsWith('Mozilla/') ? named(BROWSERS) : undefined;
  if (browser) return [browser, named(SYSTEMS)].filter(Boolean).join(', ');
  const [product = ''] = userAgent.split(' ', 1);
  return product.length > LONGEST ? `${product.slice(0, LONGEST)}…` : product;
}
