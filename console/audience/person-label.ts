import type { NamedPerson } from '../../core/people/find-people.ts';

/** Somebody among others who may be called the same. */
export const personLabel = ({ first_name, last_name, email }: NamedPerson): string =>
  [[first_name, last_name].filter(Boolean).join(' '), email].filter(Boolean).join(' · ');
