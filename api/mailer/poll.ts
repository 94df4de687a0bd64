import type { FastifyRequest } from 'fastify';
import { NotFoundError } from '../../domain/errors.ts';
import { MAX_INT } from '../../domain/values.ts';
import { ID_PARAMETER } from '../resource/routes.ts';

// What the addresses share at which long work is watched.

export const JOB_PARAMETERS = {
  type: 'object',
  required: ['id', 'job'],
  properties: { ...ID_PARAMETER.properties, job: ID_PARAMETER.properties.id },
};

/** A time as shown, or null. */
export const TIMESTAMP = { type: ['string', 'null'], description: 'UTC, YYYY-MM-DDTHH:MM:SS.' };

/** The job in a path. @throws NotFoundError when it cannot be one */
export function jobOf(request: FastifyRequest): number {
  const { job = '' } = request.params as { job?: string };
  if (!/^[1-9]\d{0,9}$/.test(job) || Number(job) > MAX_INT) throw new NotFoundError();
  return Number(job);
}
