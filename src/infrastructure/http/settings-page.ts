export const SETTINGS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>API Keys</title>
  </head>
  <body>
    <main>
      <h1>API Keys</h1>
      <p>Keys are created, listed and revoked over HTTP: see <a href="/openapi.json">the API's description</a>.</p>
    </main>
  </body>
</html>
`;
