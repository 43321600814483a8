# Two images from one file: `--target latchkey` (the default, last) and `--target systems-api`. `--target sbom --output .`
# lists the contents of the first in latchkey.cdx.json (CycloneDX). `--build-arg REVISION=$(git rev-parse HEAD)` labels
# the images with the commit.
# One release of Node. Debian's patches change the image behind this name. To build from the same image again, use a digest:
# --build-arg NODE_IMAGE=node@sha256:…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY clients/node/package.json clients/node/
COPY examples/systems-api/package.json examples/systems-api/
COPY scripts/testing/package.json scripts/testing/
COPY web/package.json web/

FROM manifests AS build
RUN npm ci --ignore-scripts --include=dev --include-workspace-root --workspace clients/node --workspace examples/systems-api --workspace web
COPY . .
RUN node scripts/build.mjs

FROM manifests AS latchkey-packages
RUN npm ci --ignore-scripts --omit=dev --omit=optional --workspaces=false

FROM latchkey-packages AS latchkey-sbom
# The bill of materials lists no packages that are not installed.
RUN npm pkg delete devDependencies optionalDependencies workspaces && npm sbom --sbom-format=cyclonedx --sbom-type=application > latchkey.cdx.json

FROM scratch AS sbom
COPY --from=latchkey-sbom /app/latchkey.cdx.json /

FROM manifests AS systems-api-packages
RUN npm ci --ignore-scripts --omit=dev --omit=optional --workspace examples/systems-api

FROM ${NODE_IMAGE} AS systems-api
ARG NODE_IMAGE
ARG REVISION
LABEL org.opencontainers.image.title="Latchkey systems-api" \
  org.opencontainers.image.description="The reference resource service of Latchkey" \
  org.opencontainers.image.version="0.3.0-dev" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.source="https://github.com/latchkey/latchkey" \
  org.opencontainers.image.base.name="${NODE_IMAGE}"
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=systems-api-packages /app/node_modules node_modules
COPY --from=build /app/clients/node clients/node
COPY --from=build /app/examples/systems-api examples/systems-api
# `node`, as a number, so that Kubernetes sees that it is not root.
USER 1000:1000
EXPOSE 4000
# Not a path that needs a key: each check would be a failed authentication on the audit trail.
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=5 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SYSTEMS_API_PORT || 4000}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "examples/systems-api/dist/main.js"]

FROM ${NODE_IMAGE} AS latchkey
ARG NODE_IMAGE
ARG REVISION
LABEL org.opencontainers.image.title="Latchkey" \
  org.opencontainers.image.description="A self-hosted personal API key service" \
  org.opencontainers.image.version="0.3.0-dev" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.source="https://github.com/latchkey/latchkey" \
  org.opencontainers.image.base.name="${NODE_IMAGE}"
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=latchkey-packages /app/node_modules node_modules
COPY package.json ./
COPY proto proto
COPY --from=build /app/dist dist
COPY --from=build /app/web/dist web/dist
# `docker compose exec latchkey-1 latchkey …`
RUN chmod +x dist/composition/cli.js && ln -s /app/dist/composition/cli.js /usr/local/bin/latchkey
# `node`, as a number, so that Kubernetes sees that it is not root.
USER 1000:1000
EXPOSE 3000 3080 50051
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=5 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HTTP_PORT || 3000}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Less work for the garbage collector, and free memory is returned to the system.
ENV MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072
CMD ["node", "--min-semi-space-size=64", "--max-semi-space-size=64", "--heap-growing-percent=100", "--no-allocation-site-pretenuring", "dist/main.js"]
