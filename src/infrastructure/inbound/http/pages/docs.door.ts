import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import compression from 'compression';
import express, { type RequestHandler, type Response } from 'express';
import type { HttpDoor } from '../http-door.js';
import { sendPage } from './page.js';

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Latchkey: HTTP API</title>
    <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
    <link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/assets/swagger-ui-bundle.js"></script>
    <script src="/docs/assets/start.js"></script>
  </body>
</html>
`;
/** A separate file, because inline scripts are not allowed. The validator badge would call another server. */
const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });\n`;

@ApiExcludeController()
@Controller('docs')
class DocsController {
  @Get()
  page(@Res() response: Response): void {
    sendPage(response, PAGE, "style-src 'self'");
  }

  @Get('assets/start.js')
  start(@Res() response: Response): void {
    response.type('js').send(START);
  }
}

/** Swagger UI for the HTTP API. A sign-in there opens an ordinary session. */
export function docsDoor(): HttpDoor {
  return {
    controllers: [DocsController],
    policies: { '/docs/assets': { handlers: [compression(), files()], isOneRoute: true } },
  };
}

function files(): RequestHandler {
  const send = express.static(SWAGGER_UI, { index: false, redirect: false, maxAge: '1h' });
  return (request, response, next) => {
    if (FILES.includes(request.path.slice(1))) send(request, response, next);
    else next();
  };
}
