import { createHash } from 'node:crypto';

/** Somebody else has changed what a form is about since the form was made. */
export class OvertakenError extends Error {}

/** What a form says is stored already, by the form itself. */
export class SavedBeforeError extends Error {}

/** Of what a form shows: another one whenever something of it has changed. */
export const versionOf = (shown: unknown): string => createHash('sha256').update(JSON.stringify(shown)).digest('base64url');
