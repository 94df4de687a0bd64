import { Migration } from '@mikro-orm/migrations';

/** Openings and clicks, and what is counted of them as they come. */
export class Tracking extends Migration {
  override up(): void {
    this.addSql(`
      create table core_mailinglink (
        mailing_id int not null
          constraint core_mailinglink_mailing_id_foreign references core_mailing (id) on delete cascade,
        number int not null,
        url text not null,
        primary key (mailing_id, number)
      );

      create table core_open (
        id bigserial primary key,
        user_id int not null
          constraint core_open_user_id_foreign references core_user (id) on delete cascade,
        mailing_id int not null
          constraint core_open_mailing_id_foreign references core_mailing (id) on delete cascade,
        machine boolean not null default false,
        created_at timestamptz(6) not null default now()
      );
      create index core_open_mailing_id_created_at_index on core_open (mailing_id, created_at);
      create index core_open_user_id_index on core_open (user_id);

      create table core_click (
        id bigserial primary key,
        user_id int not null
          constraint core_click_user_id_foreign references core_user (id) on delete cascade,
        mailing_id int not null
          constraint core_click_mailing_id_foreign references core_mailing (id) on delete cascade,
        link_number int not null,
        machine boolean not null default false,
        created_at timestamptz(6) not null default now()
      );
      create index core_click_mailing_id_created_at_index on core_click (mailing_id, created_at);
      create index core_click_user_id_index on core_click (user_id);

      create table core_trackedrecipient (
        mailing_id int not null
          constraint core_trackedrecipient_mailing_id_foreign references core_mailing (id) on update cascade on delete cascade,
        user_id int not null
          constraint core_trackedrecipient_user_id_foreign references core_user (id) on update cascade on delete cascade,
        opens int not null default 0,
        raw_opens int not null default 0,
        clicks int not null default 0,
        raw_clicks int not null default 0,
        primary key (mailing_id, user_id)
      );
      create index core_trackedrecipient_user_id_index on core_trackedrecipient (user_id);

      create table core_trackedtotal (
        mailing_id int not null
          constraint core_trackedtotal_mailing_id_foreign references core_mailing (id) on delete cascade,
        place int not null,
        opens int not null default 0,
        raw_opens int not null default 0,
        total_opens int not null default 0,
        total_raw_opens int not null default 0,
        clicks int not null default 0,
        raw_clicks int not null default 0,
        total_clicks int not null default 0,
        total_raw_clicks int not null default 0,
        primary key (mailing_id, place)
      );

      create table core_trackedtimeline (
        mailing_id int not null
          constraint core_trackedtimeline_mailing_id_foreign references core_mailing (id) on delete cascade,
        at timestamptz(0) not null,
        place int not null,
        opens int not null default 0,
        total_opens int not null default 0,
        clicks int not null default 0,
        total_clicks int not null default 0,
        primary key (mailing_id, at, place)
      );
    `);
  }
}
