import { isIPv6 } from 'node:net';

/** @typedef {ReturnType<typeof planFrom>} Plan */

/** What a start will do. @param {NodeJS.ProcessEnv} env */
export function planFrom(env) {
  const host = env['HOST'] || '127.0.0.1';
  /** The host in a URL that is opened on this machine. */
  const reachableHost = hostInUrl(host);
  const embedded = !env['DATABASE_URL'];
  const production = env['NODE_ENV'] === 'production';
  // An explicit DEMO is passed on, also DEMO=off: the service decides whether it is allowed.
  const isPrivate = isLoopback(host) && (!env['PUBLIC_URL'] || isLoopback(hostOf(env['PUBLIC_URL'])));
  const implied = embedded && isPrivate && !production && !env['DEMO'];
  const demo = implied || (!production && isOn(env['DEMO']));
  const hasLogin = Boolean(env['OIDC_ISSUER'] || env['SESSION_JWKS_URL']);
  const grpc = env['GRPC_PORT'] || '50051';
  const services = env['SERVICES_PORT'] || (demo ? '3080' : '');
  const systems = env['SYSTEMS_API_PORT'] || '4000';
  return {
    host,
    reachableHost,
    /** The ports to listen on. */
    ports: {
      HTTP_PORT: env['HTTP_PORT'] || '3000',
      GRPC_PORT: grpc,
      ...(services ? { SERVICES_PORT: services } : {}),
      ...(demo ? { SYSTEMS_API_PORT: systems } : {}),
    },
    embedded,
    demo,
    /** Whether people sign in with a password, as the service's PASSWORD_SIGN_IN decides. */
    passwordSignIn: env['PASSWORD_SIGN_IN'] ? isOn(env['PASSWORD_SIGN_IN']) : !hasLogin,
    serviceEnv: {
      ...env,
      SERVICES_PORT: services,
      ...(implied && { DEMO: 'on' }),
      // The demo's owner has it, and sees what administrators see.
      ...(demo && { ADMIN_PERMISSION: env['ADMIN_PERMISSION'] || 'api-keys:administer' }),
    },
    systemsApiEnv: {
      ...env,
      HOST: host,
      SYSTEMS_API_PORT: systems,
      LATCHKEY_GRPC_TARGET: `${reachableHost}:${grpc}`,
      LATCHKEY_SERVICE_TOKEN: 'dev-validator-token',
    },
  };
}

/** @param {string | undefined} setting */
const isOn = (setting = '') => /^(on|1)$/.test(setting);

/** @param {string} host */
const isLoopback = (host) => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** @param {string} url @returns {string} empty for a text that is no URL: the service will report that */
const hostOf = (url) => (URL.canParse(url) ? new URL(url).hostname.replace(/^\[(.*)\]$/, '$1') : '');

/** @param {string} host */
function hostInUrl(host) {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}
