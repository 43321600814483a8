import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { type Proxy, startProxy } from './recipe.js';
import { CADDY, HAPROXY, NGINX } from './recipes.js';

describe.each([NGINX, CADDY, HAPROXY])('the recipe for $name', (recipe) => {
  let proxy: Proxy;
  beforeAll(async () => {
    // Nothing answers there: each request gets 503.
    const nobody = '127.0.0.1:1';
    proxy = await startProxy(recipe, { latchkey: nobody, backend: nobody }, { clientSeconds: 1 });
  });
  afterAll(() => proxy?.stop());

  test.each([
    ['a part of the headers', 'GET / HTTP/1.1\r\nHost: localhost\r\n'],
    ['a whole request', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])(
    'disconnects a client that sends nothing more after %s',
    async (_, text) => {
      const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
      socket.resume().on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(text);
      if (!socket.closed) await once(socket, 'close');
    },
    20_000,
  );
});
