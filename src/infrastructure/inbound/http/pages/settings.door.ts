import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Controller, Get, Redirect, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import express, { type RequestHandler, type Response } from 'express';
import type { Config } from '#config/config.js';
import type { HttpDoor } from '../http-door.js';
import { sendPage } from './page.js';

/** Where the build of `web/` leaves the settings screen: index.html and assets/. */
const WEB_DIST = fileURLToPath(new URL('../../../../../web/dist', import.meta.url));
const ASSETS = join(WEB_DIST, 'assets');
/** The build writes each text file in these encodings, too. The first that the browser accepts is sent. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
const NONCE_PLACEHOLDER = '__CSP_NONCE__';

type Settings = Pick<Config, 'exampleUrl' | 'helpUrl' | 'docsUrl' | 'publicUrl' | 'oidc' | 'passwordSignIn'>;

class SettingsPage {
  private readonly document: string;

  constructor({ exampleUrl, helpUrl, docsUrl, publicUrl, oidc, passwordSignIn }: Settings) {
    const facts = {
      __EXAMPLE_URL__: exampleUrl ? new URL(exampleUrl).href : '',
      __HELP_URL__: helpUrl ? new URL(helpUrl).href : '',
      __DOCS_URL__: docsUrl ? new URL(docsUrl).href : '',
      __PASSWORD_SIGN_IN__: passwordSignIn ? 'on' : 'off',
      // An absolute URL: a loopback address has several spellings, and the platform redirects people to this one.
      __PLATFORM_SIGN_IN__: oidc ? `${publicUrl}/v1/session/oidc` : '',
    };
    try {
      const built = readFileSync(join(WEB_DIST, 'index.html'), 'utf8');
      this.document = Object.entries(facts).reduce(
        (page, [name, text]) => page.replaceAll(name, () => inQuotes(text)),
        built,
      );
    } catch (error) {
      throw new Error('The settings screen is not built: run npm run build', { cause: error });
    }
  }

  /** The nonce is new for each answer. The component library's style tags need it. */
  send(response: Response): void {
    const nonce = randomBytes(16).toString('base64url');
    const page = this.document.replaceAll(NONCE_PLACEHOLDER, nonce);
    sendPage(response, page, `style-src 'self' 'nonce-${nonce}'`, "font-src 'self'");
  }
}

@ApiExcludeController()
@Controller()
class SettingsController {
  constructor(private readonly page: SettingsPage) {}

  @Get()
  @Redirect('/settings/api-keys', 302)
  home(): void {
    // The response is only the redirect.
  }

  @Get('settings/api-keys')
  settings(@Res() response: Response): void {
    this.page.send(response);
  }
}

export function settingsDoor(settings: Settings): HttpDoor {
  return {
    controllers: [SettingsController],
    instances: [new SettingsPage(settings)],
    policies: { '/settings/assets': { handlers: [assets()], isOneRoute: true } },
  };
}

function inQuotes(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

/** Headers that are about a file, and must not stay when a problem is answered in its place. */
const OF_A_FILE = ['Content-Encoding', 'Content-Range', 'Accept-Ranges', 'Cache-Control', 'ETag', 'Last-Modified'];

/** Files with a hash in their names, which never change. Of each, the compressed variant that the browser prefers. */
function assets(): RequestHandler {
  const files = new Set(readdirSync(ASSETS));
  const send = express.static(ASSETS, { index: false, redirect: false, immutable: true, maxAge: '1y' });
  return (request, response, next) => {
    const file = request.path.slice(1);
    if (!files.has(file)) return next();
    const variants = ENCODINGS.filter(([, ending]) => files.has(file + ending));
    if (variants.length > 0) response.vary('Accept-Encoding');
    const best = variants.find(([encoding]) => request.acceptsEncodings(encoding) === encoding);
    if (best) {
      const [encoding, ending] = best;
      response.type(extname(file)).set('Content-Encoding', encoding);
      request.url = `/${file}${ending}`;
    }
    send(request, response, (error?: unknown) => {
      for (const name of OF_A_FILE) response.removeHeader(name);
      next(error);
    });
  };
}
