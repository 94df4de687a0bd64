import { Migration } from '@mikro-orm/migrations';

/** Mailings with their subjects, proofs, notices and schedules; mail of other kinds, and what came back. */
export class Mailings extends Migration {
  override up(): void {
    this.addSql(`
      create table core_mailing (
        id serial primary key,
        notes text not null default '',
        html text not null default '',
        text text not null default '',
        fromline_id int
          constraint core_mailing_fromline_id_foreign references core_fromline (id) on delete set null,
        custom_fromline text not null default '',
        reply_to text not null default '',
        emailwrapper_id int
          constraint core_mailing_emailwrapper_id_foreign references core_emailwrapper (id) on delete set null,
        lang_id int
          constraint core_mailing_lang_id_foreign references core_language (id) on delete set null,
        landing_page_id int
          constraint core_mailing_landing_page_id_foreign references core_page (id) on delete set null,
        web_viewable boolean not null default false,
        hidden boolean not null default false,
        fields jsonb not null default '[]',
        includes jsonb not null default '{}',
        excludes jsonb not null default '{}',
        "limit" int,
        sort_by text,
        mails_per_second double precision,
        target_group_from_landing_page boolean not null default false,
        target_mergefile boolean not null default false,
        rebuild_query_at_send boolean not null default false,
        targeting_version int not null default 1,
        targeting_version_saved int,
        query_status text not null default 'none',
        query_queued_at timestamptz(6),
        query_started_at timestamptz(6),
        query_completed_at timestamptz(6),
        query_previous_runtime double precision,
        saved_count int,
        proof_users jsonb not null default '[]',
        requested_proofs int not null default 0,
        submitter_id int
          constraint core_mailing_submitter_id_foreign references auth_user (id) on delete set null,
        status text not null default 'draft',
        errors jsonb,
        scheduled_for timestamptz(6),
        scheduled_by_id int
          constraint core_mailing_scheduled_by_id_foreign references auth_user (id) on delete set null,
        queued_at timestamptz(6),
        queued_by_id int
          constraint core_mailing_queued_by_id_foreign references auth_user (id) on delete set null,
        started_at timestamptz(6),
        finished_at timestamptz(6),
        expected_send_count int,
        recurring_source_mailing_id int
          constraint core_mailing_recurring_source_mailing_id_foreign references core_mailing (id) on delete set null,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        stop_requested boolean not null default false,
        mergefile_id int
          constraint core_mailing_mergefile_id_foreign references core_mergefile (id) on delete set null,
        track_opens boolean not null default true,
        track_clicks boolean not null default true,
        test_group_id int
          constraint core_mailing_test_group_id_foreign references core_mailingtestgroup (id) on delete set null,
        constraint core_mailing_query_status_check check (query_status in (
          'none', 'cleared', 'failed', 'queued', 'rebuilding', 'saved', 'invalid'
        )),
        constraint core_mailing_sort_by_check check (sort_by in ('zip', 'random')),
        constraint core_mailing_status_check check (status in (
          'draft', 'model', 'sending', 'scheduled', 'rebuilding_at_send', 'recurring', 'queued', 'completed', 'stopped',
          'died'
        ))
      );
      create index core_mailing_created_at_index on core_mailing (created_at, id);
      create index core_mailing_status_index on core_mailing (status, id);
      create index core_mailing_recurring_source_index on core_mailing (recurring_source_mailing_id, id) where recurring_source_mailing_id is not null;
      create index core_mailing_test_group_id_index on core_mailing (test_group_id);

      create table core_mailingsubject (
        id serial primary key,
        mailing_id int not null
          constraint core_mailingsubject_mailing_id_foreign references core_mailing (id) on delete cascade,
        position int not null,
        text text not null default '',
        preview_text text not null default ''
      );
      create index core_mailingsubject_mailing_id_index on core_mailingsubject (mailing_id);

      create table core_mailing_tags (
        mailing_id int not null
          constraint core_mailing_tags_mailing_id_foreign references core_mailing (id) on update cascade on delete cascade,
        tag_id int not null
          constraint core_mailing_tags_tag_id_foreign references core_tag (id) on update cascade on delete cascade,
        primary key (mailing_id, tag_id)
      );

      create table core_mailing_reviewers (
        mailing_id int not null
          constraint core_mailing_reviewers_mailing_id_foreign references core_mailing (id) on update cascade on delete cascade,
        user_id int not null
          constraint core_mailing_reviewers_user_id_foreign references core_user (id) on update cascade on delete cascade,
        primary key (mailing_id, user_id)
      );

      create table core_mailingproof (
        id serial primary key,
        mailing_id int not null
          constraint core_mailingproof_mailing_id_foreign references core_mailing (id) on delete cascade,
        reviewers jsonb not null,
        proofs int not null,
        proof_users jsonb not null default '[]',
        pretend_date date,
        tries int not null default 0,
        finished boolean not null default false,
        success boolean not null default false,
        sent int not null default 0,
        errors jsonb not null default '[]',
        created_at timestamptz(6) not null default now(),
        started_at timestamptz(6),
        finished_at timestamptz(6),
        made_up boolean not null default false,
        members_hidden boolean not null default false,
        waits_for text not null default '',
        account_id int
          constraint core_mailingproof_account_id_foreign references auth_user (id) on delete set null
      );
      create index core_mailingproof_mailing_id_index on core_mailingproof (mailing_id);
      create index core_mailingproof_running_index on core_mailingproof (id) where not finished;

      create table core_mailingnotice (
        id serial primary key,
        mailing_id int not null
          constraint core_mailingnotice_mailing_id_foreign references core_mailing (id) on delete cascade,
        kind text not null,
        account_id int,
        reviewer_id int,
        reasons jsonb not null default '[]',
        status text not null default 'pending',
        detail text not null default '',
        put_off_since timestamptz(6),
        sent_at timestamptz(6),
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_mailingnotice_kind_check check (kind in ('final_proof', 'completed', 'stopped', 'died', 'not_sent')),
        constraint core_mailingnotice_status_check check (status in ('pending', 'sending', 'sent', 'failed', 'uncertain', 'skipped'))
      );
      create index core_mailingnotice_mailing_id_index on core_mailingnotice (mailing_id);
      create index core_mailingnotice_pending_index on core_mailingnotice (updated_at) where status in ('pending', 'sending');

      create table core_recurringschedule (
        id serial primary key,
        mailing_id int not null
          constraint core_recurringschedule_mailing_id_foreign references core_mailing (id) on delete cascade,
        period text not null default 'daily',
        minute int not null default 0,
        hour int not null default 0,
        weekday int not null default 0,
        day int not null default 1,
        timezone text not null default 'UTC',
        active boolean not null default true,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_recurringschedule_period_check check (period in ('hourly', 'daily', 'weekly', 'monthly')),
        constraint core_recurringschedule_mailing_id_unique unique (mailing_id)
      );

      create table core_recurringcopy (
        occasion text primary key,
        run text not null,
        mailing_id int not null
          constraint core_recurringcopy_mailing_id_foreign references core_mailing (id) on delete cascade,
        created_at timestamptz(6) not null default now()
      );
      create index core_recurringcopy_mailing_id_index on core_recurringcopy (mailing_id);

      create table core_bounce (
        id serial primary key,
        user_id int not null
          constraint core_bounce_user_id_foreign references core_user (id) on delete cascade,
        mailing_id int,
        mailing_place int,
        kind text not null,
        code text not null default '',
        diagnostic text not null default '',
        report_id text,
        of_former boolean not null default false,
        created_at timestamptz(6) not null default now(),
        constraint core_bounce_kind_check check (kind in ('hard', 'soft', 'complaint')),
        constraint core_bounce_report_id_user_key unique (report_id, user_id)
      );
      create index core_bounce_created_at_index on core_bounce (created_at, id);
      create index core_bounce_mailing_id_index on core_bounce (mailing_id);
      create index core_bounce_user_id_index on core_bounce (user_id);

      create table core_transactionalmailing (
        id serial primary key,
        user_id int not null
          constraint core_transactionalmailing_user_id_foreign references core_user (id) on delete cascade,
        action_id int,
        kind text not null default '',
        email text not null default '',
        subject text not null default '',
        status text not null default 'pending',
        detail text not null default '',
        put_off_since timestamptz(6),
        sent_at timestamptz(6),
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_transactionalmailing_status_check check (status in (
          'pending', 'sending', 'sent', 'failed', 'uncertain', 'skipped'
        ))
      );
      -- Of mails that were sent nothing is said: whoever looks through what is (core/people/free-texts.ts) need not read them.
      create index core_transactionalmailing_detail_index on core_transactionalmailing (id) where (detail <> '');
      create index core_transactionalmailing_pending_index on core_transactionalmailing (created_at) where status in ('pending', 'sending');
      create index core_transactionalmailing_user_id_index on core_transactionalmailing (user_id);
      create unique index core_transactionalmailing_action_key on core_transactionalmailing (action_id, kind);
    `);
  }
}
