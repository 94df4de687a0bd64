import { Migration } from '@mikro-orm/migrations';

/** Keys that sign mail, and how the domains mail is sent from were found set up. */
export class Senders extends Migration {
  override up(): void {
    this.addSql(`
      create table dkim_key (
        id serial primary key,
        domain text not null,
        selector text not null,
        algorithm text not null,
        active boolean not null default false,
        public_key text not null,
        private_key text not null,
        created_at timestamptz(6) not null default now(),
        constraint dkim_key_algorithm_check check (algorithm in ('rsa', 'ed25519')),
        constraint dkim_key_domain_selector_key unique (domain, selector)
      );
      create unique index dkim_key_active_key on dkim_key (domain, algorithm) where active;

      create table sender_check (
        domain text primary key,
        passed boolean not null,
        items jsonb not null,
        checked_at timestamptz(6) not null default now()
      );
    `);
  }
}
