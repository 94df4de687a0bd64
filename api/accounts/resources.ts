import { closeSessionsOfNoStaff, keepConsoleSession } from '../../core/accounts/console-sessions.ts';
import { keepASuperuser } from '../../core/accounts/last-superuser.ts';
import { hashPassword } from '../../core/accounts/password.ts';
import { endProofsOf } from '../../core/mailings/proof-job.ts';
import { PermissionError } from '../../domain/errors.ts';
import { AuthGroup, AuthUser } from '../../entities/accounts/auth-user.ts';
import { type Change, type DeclarationContext, resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';
import { sessionOf } from './session.ts';

/** Whoever may change an account may become it: nobody but a superuser gives, takes or borrows rights. */
function superuserOnly({ request }: Change): void {
  if (!request.account?.isSuperuser) throw new PermissionError('Accounts and groups are changed by superusers only.');
}

async function beforeSave(change: Change): Promise<void> {
  superuserOnly(change);
  const { password } = change.extra;
  if (typeof password === 'string') change.values['password'] = await hashPassword(password);
}

async function beforeDelete(change: Change): Promise<void> {
  superuserOnly(change);
  await endProofsOf(change.sql, change.id);
}

const someoneLeft = ({ sql }: Change) => keepASuperuser(sql);

async function afterUpdate(change: Change): Promise<void> {
  const { sql, request, values, id } = change;
  await someoneLeft(change);
  await closeSessionsOfNoStaff(sql, id);
  // Whoever gives themselves a password is shown it once: shut out by it, before they have noted it, nobody might be left to let them in.
  if (values['password'] !== undefined && request.account?.id === id) await keepConsoleSession(sql, sessionOf(request), id);
}

/** Answered when it holds everywhere. What is new nobody remembers. */
async function committed({ credentials }: DeclarationContext, { made }: { made: boolean }): Promise<void> {
  const forgotten = credentials.forget();
  if (!made) await forgotten;
}

const NAME = /^[^\p{Cc}:]+$/u;
/** A thousand accounts are shown on one page of the console. */
const LONGEST_NAME = 255;

export const authuser = resource({
  name: 'authuser',
  about: 'an account of staff or of a client program',
  area: 'Accounts',
  entity: AuthUser,
  fields: {
    username: { trim: true, check: (name: string) => (NAME.test(name) ? undefined : 'must not hold a colon or control characters') },
    first_name: { maxLength: LONGEST_NAME },
    last_name: { maxLength: LONGEST_NAME },
    email: { maxLength: LONGEST_NAME },
    last_login: { readonly: true },
    date_joined: { readonly: true },
    groups: { uriOnly: false },
    password: {
      readonly: false,
      writeonly: true,
      required: true,
      maxLength: 1024,
      help: 'Never shown.',
      check: (password: string) => (password.length < 8 ? 'must have at least 8 characters' : undefined),
    },
  },
  filtering: {
    id: SINCE,
    username: 'all',
    email: 'all',
    first_name: 'all',
    last_name: 'all',
    is_staff: EXACT,
    is_active: EXACT,
    is_superuser: EXACT,
    groups: 'joins',
  },
  ordering: ['username', 'date_joined', 'last_login'],
  hooks: {
    beforeCreate: beforeSave,
    beforeUpdate: beforeSave,
    afterUpdate,
    beforeDelete,
    afterDelete: someoneLeft,
    committed,
  },
});

/** Grants beyond those to read, write and delete something. */
export const NAMED_GRANTS = ['mailer:send', 'report:sql', 'user:merge', 'user:erase', 'donation:manage'] as const;
const GRANT = /^(\*|[a-z]+:(read|write|delete))$/;
const areGrants = (grants: unknown[]) =>
  grants.every((grant) => typeof grant === 'string' && (GRANT.test(grant) || NAMED_GRANTS.includes(grant as never)))
    ? undefined
    : 'must hold grants like user:read, or *';

export const authgroup = resource({
  name: 'authgroup',
  about: 'a named set of grants',
  area: 'Accounts',
  entity: AuthGroup,
  fields: {
    name: { trim: true },
    grants: { check: areGrants, help: 'Grants like user:read, user:write, user:delete, mailer:send, or *.' },
  },
  filtering: { id: SINCE, name: 'all' },
  ordering: ['name'],
  hooks: { beforeCreate: superuserOnly, beforeUpdate: superuserOnly, beforeDelete: superuserOnly, committed },
});
