import { credentialsNeedEncoding, type EnvReader, isDecodable } from './env-reader.js';
import { placeOf } from './network-config.js';

/** A single server, whose URL the driver reads, or sentinels, or some nodes of a cluster. */
export type RedisConfig = ReturnType<typeof parseRedisUrl>;

const SCHEMES = 'must be a URL that starts with redis://, rediss://, redis+sentinel:// or redis+cluster://';
const SENTINEL = 'must read like redis+sentinel://user:password@host:26379,host:26379/name, the name of the primary';
const CLUSTER = 'must read like redis+cluster://user:password@host:6379,host:6379';
const SENTINEL_PARAMETERS = ['tls', 'sentinelUser', 'sentinelPassword'];
const PARTS = /^redis\+(sentinel|cluster):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^/?#]*))?(?:\?([^#]*))?$/;

export function readRedis(reader: EnvReader, name: string) {
  const url = reader.text(name);
  if (url === undefined) return undefined;
  // Reports which characters must be encoded.
  if (credentialsNeedEncoding(url)) reader.checkedUrl(name, url, []);
  try {
    return parseRedisUrl(url);
  } catch (error) {
    reader.wrong(name, (error as Error).message);
    return undefined;
  }
}

/** @throws an Error whose message may be shown */
export function parseRedisUrl(url: string) {
  if (/^redis\+(sentinel|cluster):/.test(url)) return parseSeveral(url);
  if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol)) throw new Error(SCHEMES);
  return { kind: 'server' as const, url, place: placeOf(url)! };
}

function parseSeveral(url: string) {
  const isCluster = url.startsWith('redis+cluster:');
  const form = isCluster ? CLUSTER : SENTINEL;
  const [, kind, credentials, hosts = '', path = '', query = ''] = (isDecodable(url) && PARTS.exec(url)) || fail(form);
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B'));
  const known = isCluster ? ['tls'] : SENTINEL_PARAMETERS;
  if (![...parameters.keys()].every((name) => known.includes(name))) {
    fail(`may have the parameters ${known.join(', ')} and no other`);
  }
  const tls = parameters.get('tls') ?? 'false';
  if (!['true', 'false'].includes(tls)) fail('must have tls=true or tls=false');
  const several = {
    ...userOf(credentials),
    tls: tls === 'true',
    /** The part that may be shown: the scheme, the hosts and the name. */
    place: `redis+${kind}://${hosts}${path && `/${path}`}`,
  };
  if (isCluster) {
    if (path !== '') fail(`${CLUSTER}: a cluster has no databases and no name`);
    return { kind: 'cluster' as const, nodes: hostsOf(hosts, 6379, form), ...several };
  }
  if (path === '') fail(SENTINEL);
  return {
    kind: 'sentinel' as const,
    sentinels: hostsOf(hosts, 26379, form),
    /** The sentinels' name for the primary. */
    name: decodeURIComponent(path),
    sentinelUsername: parameters.get('sentinelUser') ?? undefined,
    sentinelPassword: parameters.get('sentinelPassword') ?? undefined,
    ...several,
  };
}

function userOf(credentials = '') {
  const [username = '', ...password] = credentials.split(':');
  const text = (encoded: string) => (encoded === '' ? undefined : decodeURIComponent(encoded));
  return { username: text(username), password: text(password.join(':')) };
}

function hostsOf(list: string, defaultPort: number, form: string) {
  return list.split(',').map((entry) => {
    const url = `redis://${entry}`;
    if (!URL.canParse(url) || new URL(url).hostname === '' || entry.endsWith(':')) fail(form);
    const { hostname, port } = new URL(url);
    return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || defaultPort) };
  });
}

function fail(problem: string): never {
  throw new Error(problem);
}
