import type { Command } from './command.ts';
import { RefusedError, table } from './terminal.ts';
import { idIn, oneWord } from './words.ts';

interface User {
  id: number;
  email: string;
  first_name: string;
  last_name: string;
  subscription_status: string;
  created_at: string;
}

const find: Command = async ({ rest, words, say }) => {
  const who = oneWord(words, 'user find needs an email address or an id');
  const users = who.includes('@')
    ? (await rest.get<{ objects: User[] }>(`/rest/v1/user/?${new URLSearchParams({ email: who })}`)).objects
    : [await rest.get<User>(`/rest/v1/user/${idIn(who)}/`)];
  if (!users.length) throw new RefusedError('There is no such user.');
  say(users, () =>
    table(
      ['id', 'email', 'name', 'status', 'created'],
      users.map((user) => [user.id, user.email, `${user.first_name} ${user.last_name}`.trim(), user.subscription_status, user.created_at]),
    ),
  );
};

export const user = { find };
