import type { FastifyInstance } from 'fastify';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

export type Offered = (typeof METHODS)[number];

/** The methods there are at a path as routes are registered under it, by whomever: what a client is told must be what is there. The router knows paths without their last slash. */
export const methodsAt = (app: FastifyInstance, url: string): Offered[] =>
  METHODS.filter((method) => app.hasRoute({ method: method.toUpperCase() as Uppercase<Offered>, url: url.replace(/\/$/, '') }));
