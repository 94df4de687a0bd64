import type { FastifyInstance, FastifyRequest } from 'fastify';
import { writtenPath } from './asked-path.ts';

interface Offered {
  pattern: RegExp;
  methods: Set<string>;
  /** Those that answer without credentials. */
  open: Set<string>;
}

/** Which methods there are at which path. Made before any route is registered. */
export class OfferedRoutes {
  #byPath = new Map<string, Offered>();

  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method, config }) => {
      const path = url.replace(/\/+$/, '') || '/';
      const known = this.#byPath.get(path) ?? { pattern: patternOf(path), methods: new Set(), open: new Set() };
      for (const each of [method].flat()) {
        known.methods.add(each);
        if (config?.open && !config.session) known.open.add(each);
      }
      this.#byPath.set(path, known);
    });
  }

  methodsAt(request: FastifyRequest): string[] {
    return this.#at(request, ({ methods }) => methods);
  }

  openAt(request: FastifyRequest): string[] {
    return this.#at(request, ({ open }) => open);
  }

  #at(request: FastifyRequest, of: (offered: Offered) => Set<string>): string[] {
    const path = writtenPath(request);
    return [...new Set([...this.#byPath.values()].flatMap((each) => (each.pattern.test(path) ? [...of(each)] : [])))];
  }
}

function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => {
    if (part === '*') return '.*';
    // No id is called so.
    if (part === ':id') return '(?!schema/?$)[^/]+';
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}/?$`);
}
