import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Stage } from './support/stage.js';

// Stage checks that the page sends no request to another origin, breaks no policy and logs no error.
describe('/docs', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage?.stop());

  test('allows only its own origin and nothing inline in its content security policy', async () => {
    const { status, headers } = await stage.service.person().call('GET', '/docs');
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy')!;
    expect(policy).not.toMatch(/unsafe|nonce|\*|https?:/);
    const directives = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"];
    expect(policy.split('; ')).toEqual(expect.arrayContaining(directives));
    for (const file of ['index.html', 'package.json', 'swagger-initializer.js', '../package.json']) {
      expect((await stage.service.person().call('GET', `/docs/assets/${file}`)).status).toBe(404);
    }
  });

  test('can send a call with the session of the person who is signed in', async () => {
    const { page, owner } = await stage.open();
    await page.goto(`${stage.service.url}/docs`);
    const call = page.locator('.opblock', { hasText: '/v1/session' }).filter({ hasText: /^GET/ });
    await call.locator('.opblock-summary-control').click();
    await call.getByRole('button', { name: 'Try it out' }).click();
    await call.getByRole('button', { name: 'Execute' }).click();
    const answer = call.locator('.live-responses-table .response').first();
    await answer.getByText('200').first().waitFor();
    expect(await answer.innerText()).toContain(owner.email);
  });
});
