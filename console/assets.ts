import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { open } from '../api/route-options.ts';
import { NotFoundError } from '../domain/errors.ts';
import { editorBundle, editorVersion } from './editor/bundle.ts';

const own = (name: string) => join(import.meta.dirname, 'assets', name);
const chartLibrary = (name: string) => join(dirname(fileURLToPath(import.meta.resolve('uplot'))), name);

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' };
const ASSETS = new Map(
  Object.entries({
    'choose.js': own('choose.js'),
    'console.css': own('console.css'),
    'console.js': own('console.js'),
    'forms.js': own('forms.js'),
    'icon.svg': own('icon.svg'),
    'write.js': own('write.js'),
    'uplot.css': chartLibrary('uPlot.min.css'),
    'uplot.js': chartLibrary('uPlot.iife.min.js'),
  }).map(([name, path]) => {
    const bytes = readFileSync(path);
    const type = TYPES[name.split('.').at(-1) as keyof typeof TYPES];
    return [name, { bytes, type, version: hash('sha256', bytes, 'base64url').slice(0, 10) }] as const;
  }),
);

/** Made when it is asked for first. */
const EDITOR = 'editor.js';

/** Where an asset is; the address changes with its content, so that browsers may keep it for good. */
export const assetPath = (name: string): string => `/console/assets/${versionOf(name)}/${name}`;

const versionOf = (name: string): string => (name === EDITOR ? editorVersion : ASSETS.get(name)!.version);

/** What the pages of the console are made up with. It says nothing about anybody: no login is asked for. */
export function registerAssets(app: FastifyInstance): void {
  app.get('/console/assets/:version/:name', open({ uncounted: true, alike: true }), async (request, reply) => {
    const { name, version } = request.params as { name: string; version: string };
    const asset = name === EDITOR ? { bytes: await editorBundle(), type: TYPES.js } : ASSETS.get(name);
    if (!asset) throw new NotFoundError();
    // While APIs are replaced one after the other, pages of one release ask the other: kept under an address of that one, it would be taken for it for good.
    if (version === versionOf(name)) reply.header('cache-control', 'public, max-age=31536000, immutable');
    return reply.type(asset.type).send(asset.bytes);
  });
}
