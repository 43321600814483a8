import { describe, expect, it } from '@jest/globals';
import { planFrom } from '../../scripts/lib/plan.mjs';
import { welcome } from '../../scripts/lib/welcome.mjs';

describe('the plan of a start', () => {
  it.each([
    ['nothing set', {}, 'on', true],
    ['DEMO=off', { DEMO: 'off' }, 'off', false],
    ['production', { NODE_ENV: 'production' }, undefined, false],
    ['production with DEMO=1, which the service refuses', { NODE_ENV: 'production', DEMO: '1' }, '1', false],
    ['an address that others reach', { HOST: '0.0.0.0' }, undefined, false],
    ['another loopback address', { HOST: '127.0.0.2' }, 'on', true],
    ['an address that a proxy makes public', { PUBLIC_URL: 'https://keys.example.com' }, undefined, false],
    ['a name that only begins like loopback', { PUBLIC_URL: 'http://127.0.0.1.example.com' }, undefined, false],
    ['a PUBLIC_URL that is no URL', { PUBLIC_URL: 'localhost:3000' }, undefined, false],
    ['a PUBLIC_URL on loopback', { PUBLIC_URL: 'http://localhost:3000/' }, 'on', true],
    ['a PUBLIC_URL on loopback in IPv6', { PUBLIC_URL: 'http://[::1]:3000' }, 'on', true],
    ['a public address and DEMO=1', { PUBLIC_URL: 'https://keys.example.com', DEMO: '1' }, '1', true],
    ['a database of its own', { DATABASE_URL: 'postgresql://db' }, undefined, false],
    ['a database of its own and DEMO=on', { DATABASE_URL: 'postgresql://db', DEMO: 'on' }, 'on', true],
    ['a database of its own and DEMO=1', { DATABASE_URL: 'postgresql://db', DEMO: '1' }, '1', true],
  ])('has demo values only where it is private, with %s', (_, env, demoForService, demo) => {
    const plan = planFrom(env);
    expect({ demoForService: plan.serviceEnv['DEMO'], demo: plan.demo }).toEqual({ demoForService, demo });
  });

  it('has the documented ports by default', () => {
    const ports = { HTTP_PORT: '3000', GRPC_PORT: '50051' };
    expect(planFrom({}).ports).toEqual({ ...ports, SERVICES_PORT: '3080', SYSTEMS_API_PORT: '4000' });
    expect(planFrom({ DEMO: 'off' })).toMatchObject({ ports, serviceEnv: { SERVICES_PORT: '' } });
    expect(planFrom({ DEMO: 'off' }).ports).toEqual(ports);
  });

  it.each([
    ['::1', '[::1]:50051'],
    ['0.0.0.0', '127.0.0.1:50051'],
    ['localhost', 'localhost:50051'],
  ])('with HOST=%s lets the systems API call the service at %s', (host, target) => {
    expect(planFrom({ HOST: host }).systemsApiEnv['LATCHKEY_GRPC_TARGET']).toBe(target);
  });

  it.each([
    [{}, true],
    [{ OIDC_ISSUER: 'https://login.example.com' }, false],
    [{ SESSION_JWKS_URL: 'https://login.example.com/jwks.json' }, false],
    [{ OIDC_ISSUER: 'https://login.example.com', PASSWORD_SIGN_IN: 'on' }, true],
    [{ PASSWORD_SIGN_IN: 'off' }, false],
  ])('shows the password of the demo only where people sign in with one, with %j', (env, isShown) => {
    expect(welcome(planFrom(env), undefined, 1).includes('correct horse')).toBe(isShown);
  });
});
